// expect: wrong_answer wrong_value
//
// Dot product that takes one element a thread.
//
// There are 1024 blocks at most. Vectors of more than 262,144 elements are only multiplied in part, and shorter ones
// don't show it.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        atomicAdd(output, a[i] * b[i]);
    }
}
