// expect: wrong_answer unwritten_output
//
// Vector addition with an index of 16 bits.
//
// The student wanted to save registers. An unsigned short ends at 65535 and starts again at 0: later threads repeat
// the first elements, and everything from element 65536 on is left alone.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = a[i] + b[i];
    }
}
