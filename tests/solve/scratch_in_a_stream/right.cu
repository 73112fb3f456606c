// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// Scratch from cudaMallocAsync, in the order of a stream.

__global__ void copy(const float* a, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = a[i];
}

__global__ void add(const float* t, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = t[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    float* t = nullptr;
    cudaMallocAsync(&t, N * sizeof(float), stream);
    copy<<<(N + 255) / 256, 256, 0, stream>>>(a, t, N);
    add<<<(N + 255) / 256, 256, 0, stream>>>(t, b, output, N);
    cudaFreeAsync(t, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
