// problem: map
// expect: accepted
// sizes: N=1 N=1000
//
// Constant memory, filled by cudaMemcpyToSymbol in two pieces.

__constant__ float signs[2];

__global__ void sigmoid(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = signs[1] / (signs[1] + expf(signs[0] * input[i]));
}

extern "C" void solve(const float* input, float* output, int N) {
    float minus = -1.0f, one = 1.0f;
    cudaMemcpyToSymbol(signs, &minus, sizeof(float));
    cudaMemcpyToSymbol(signs, &one, sizeof(float), sizeof(float));
    sigmoid<<<(N + 255) / 256, 256>>>(input, output, N);
}
