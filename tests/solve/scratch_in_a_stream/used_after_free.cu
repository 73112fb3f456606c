// problem: zip
// expect: runtime_error out_of_bounds
// sizes: N=1000
// says: The kernel reads memory that line 24 has freed
//
// The second kernel comes after cudaFreeAsync in the stream's order.

__global__ void copy(const float* a, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = a[i];
}

__global__ void add(const float* t, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = t[i] + b[i];  // <- here
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float* t = nullptr;
    cudaMallocAsync(&t, N * sizeof(float), stream);
    copy<<<(N + 255) / 256, 256, 0, stream>>>(a, t, N);
    cudaFreeAsync(t, stream);
    add<<<(N + 255) / 256, 256, 0, stream>>>(t, b, output, N);
    cudaStreamDestroy(stream);
}
