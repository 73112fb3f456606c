// problem: map
// expect: accepted
// sizes: N=1 N=1000
//
// A small table of the host, copied to scratch: the sign and the one of the formula.

#include <vector>

__global__ void sigmoid(const float* input, float* output, const float* signs, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = signs[1] / (signs[1] + expf(signs[0] * input[i]));
}

extern "C" void solve(const float* input, float* output, int N) {
    std::vector<float> signs = {-1.0f, 1.0f};
    float* table;
    cudaMalloc(&table, signs.size() * sizeof(float));
    cudaMemcpy(table, signs.data(), signs.size() * sizeof(float), cudaMemcpyHostToDevice);
    sigmoid<<<(N + 255) / 256, 256>>>(input, output, table, N);
    cudaFree(table);
}
