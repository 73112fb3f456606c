// expect: wrong_answer unwritten_output
//
// Sigmoid that works only when the size divides by the block.
//
// The student kept the last block from writing past the end by skipping it as a whole. The guard belongs to the
// thread, not to the block.

#define BLOCK 256

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x < N / BLOCK) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}
