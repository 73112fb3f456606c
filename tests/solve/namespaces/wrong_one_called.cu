// problem: map
// expect: wrong_answer wrong_value
// sizes: N=1000
//
// Two kernels of one name: the one that is nearer is called, and it forgets the exponential.

namespace exact {
__global__ void apply(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + expf(-input[i]));
}
}  // namespace exact

__global__ void apply(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 0.5f + 0.25f * input[i];
}

extern "C" void solve(const float* input, float* output, int N) { apply<<<(N + 127) / 128, 128>>>(input, output, N); }
