// problem: map
// expect: runtime_error out_of_bounds
// sizes: N=1000
//
// The kernel gets the address of the host's table. Only managed memory could be read from both sides.

#include <vector>

__global__ void sigmoid(const float* input, float* output, const float* signs, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = signs[1] / (signs[1] + expf(signs[0] * input[i]));  // <- here
}

extern "C" void solve(const float* input, float* output, int N) {
    std::vector<float> signs = {-1.0f, 1.0f};
    sigmoid<<<(N + 255) / 256, 256>>>(input, output, signs.data(), N);
}
