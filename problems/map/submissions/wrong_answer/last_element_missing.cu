// expect: wrong_answer unwritten_output
//
// Sigmoid whose guard stops one element too early.
//
// The student knew that the last index is N - 1 and wrote i < N - 1. That leaves element N - 1 out.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N - 1) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}
