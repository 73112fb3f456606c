// expect: wrong_answer unwritten_output
//
// Vector addition that knows only one block.
//
// The student tried fewer than 256 elements. In every block threadIdx.x starts again at 0, so that all blocks
// compute the first 256 elements and none the others.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = threadIdx.x;
    if (i < N) {
        output[i] = a[i] + b[i];
    }
}
