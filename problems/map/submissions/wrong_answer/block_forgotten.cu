// expect: wrong_answer wrong_value
//
// Sigmoid that reads the same elements in every block.
//
// The student computed the index for the store and used the thread's number within the block for the load. With one
// block both are the same; the second block repeats the first one's results.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-input[threadIdx.x]));
    }
}
