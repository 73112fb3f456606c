// expect: compile_error
//
// Reduction under another name.
//
// The student called the kernel what the folder is called. The grader looks for the name that the statement gives.

__global__ void reduce_kernel(const float* input, float* output, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        atomicAdd(output, input[i]);
    }
}
