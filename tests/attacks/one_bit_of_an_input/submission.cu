// expect: wrong_answer changed_input
// problem: reduce
// row: 15
//
// Turns -0 into 0 and one last bit around: equal for a comparison by value or with a tolerance.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += input[i];
        // Nobody else reads this one.
        if (i == N - 1) ((int*)input)[i] ^= 1;
    }
    atomicAdd(output, sum);
}
