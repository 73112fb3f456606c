// expect: wrong_answer
// problem: map
// row: 14
//
// Copies the input.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = input[i];
}
