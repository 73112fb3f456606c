// expect: wrong_answer unwritten_output
//
// Sigmoid with a stride of two elements and one element a thread.
//
// The student began to let each thread handle two elements, 2 * i and 2 * i + 1, and never wrote the second half.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}
