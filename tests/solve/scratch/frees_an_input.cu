// problem: zip
// expect: runtime_error unsupported_call
// sizes: N=1000
//
// It frees an array that is not its own.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    add<<<(N + 255) / 256, 256>>>(a, b, output, N);
    cudaFree((void*)a);  // <- here
}
