// expect: wrong_answer unwritten_output
//
// Sigmoid with an index of 16 bits.
//
// The student wanted to save registers. An unsigned short ends at 65535 and starts again at 0: later threads repeat
// the first elements, and everything from element 65536 on is left alone.

__global__ void map_kernel(const float* input, float* output, int N) {
    unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}
