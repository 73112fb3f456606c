// expect: wrong_answer unwritten_output
//
// Vector addition that multiplies the block's number by the wrong width.
//
// The student confused gridDim, the number of blocks, with blockDim, the number of threads in one. Blocks overlap,
// and a good part of the output is never reached. With one block there is no difference.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < N) {
        output[i] = a[i] + b[i];
    }
}
