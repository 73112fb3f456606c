// expect: wrong_answer
// problem: map
// row: 14
//
// The mean of what a logistic function gives, everywhere.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 0.5f;
}
