// problem: map
// expect: wrong_answer wrong_value
// sizes: N=1000
//
// cudaMemcpyToSymbol is missing: constant memory begins as zeros.

__constant__ float signs[2];

__global__ void sigmoid(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = signs[1] / (signs[1] + expf(signs[0] * input[i]));
}

extern "C" void solve(const float* input, float* output, int N) {
    sigmoid<<<(N + 255) / 256, 256>>>(input, output, N);
}
