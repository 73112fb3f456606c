// problem: map
// expect: runtime_error launch_failure
// sizes: N=5000
//
// The kernel was compiled for blocks of at most 128 threads, and is launched with 256.

__global__ void __launch_bounds__(128) sigmoid(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + expf(-input[i]));
}

extern "C" void solve(const float* input, float* output, int N) {
    sigmoid<<<(N + 255) / 256, 256>>>(input, output, N);  // <- here
}
