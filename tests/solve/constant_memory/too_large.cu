// problem: map
// expect: runtime_error launch_failure
// sizes: N=1000
//
// The copy goes beyond the variable.

__constant__ float signs[2];

__global__ void sigmoid(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = signs[1] / (signs[1] + expf(signs[0] * input[i]));
}

extern "C" void solve(const float* input, float* output, int N) {
    float values[4] = {-1.0f, 1.0f, 0.0f, 0.0f};
    cudaMemcpyToSymbol(signs, values, sizeof values);  // <- here
    sigmoid<<<(N + 255) / 256, 256>>>(input, output, N);
}
