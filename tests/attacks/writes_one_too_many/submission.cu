// expect: runtime_error out_of_bounds
// problem: map
// row: 17
//
// Writes one element after the end, which works wherever memory is there.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + expf(-input[i]));
    if (i == N - 1) output[N] = 0.0f;  // <- here
}
