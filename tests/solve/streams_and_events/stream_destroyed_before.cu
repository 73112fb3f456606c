// problem: zip
// expect: runtime_error launch_failure
// sizes: N=1000
//
// A launch on a stream that was destroyed before.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    add<<<(N + 127) / 128, 128, 0, stream>>>(a, b, output, N);  // <- here
}
