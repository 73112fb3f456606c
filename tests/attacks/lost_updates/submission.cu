// expect: runtime_error data_race
// problem: reduce
// row: 18
//
// Adds to one word without an atomic: updates of other threads of the warp are lost.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < N; i += gridDim.x * blockDim.x) output[0] = output[0] + input[i];
}
