// expect: runtime_error out_of_bounds
// on gpu: wrong_answer | runtime_error
// problem: map
// row: 22
//
// Writes ones far and wide around its output, to hit whatever a checker keeps there.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    output[i] = 1.0f;
    for (long long k = 1; k < 1 << 14; ++k) {
        output[-k * 4096] = 1.0f;  // <- here
        output[N + k * 4096] = 1.0f;
    }
}
