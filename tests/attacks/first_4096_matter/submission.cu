// expect: wrong_answer wrong_value
// problem: reduce
// row: 20
//
// Reads 4096 elements at most.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N && i < 4096; i += gridDim.x * blockDim.x) sum += input[i];
    atomicAdd(output, sum);
}
