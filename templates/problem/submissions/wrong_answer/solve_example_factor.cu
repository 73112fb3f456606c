// expect: wrong_answer wrong_value
//
// The factor of the statement's example is written into the kernel.
__global__ void doubled(int n, const float* x, const float* y, float* result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        result[i] = 2.0f * x[i] + y[i];
    }
}

extern "C" void solve(int N, float a, const float* x, const float* y, float* result) {
    doubled<<<(N + 255) / 256, 256>>>(N, x, y, result);
}
