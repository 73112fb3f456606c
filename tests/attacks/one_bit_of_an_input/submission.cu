// expect: wrong_answer changed_input
// problem: reduce
// row: 15
//
// Turns -0 into 0 and one last bit around: equal for a comparison by value or with a tolerance.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    atomicAdd(output, sum);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int* bits = (int*)input;
        bits[N - 1] ^= 1;
    }
}
