// expect: compile_error
//
// Sigmoid under another name.
//
// The student named the kernel after what it computes. The grader looks for the name that the statement gives.

__global__ void sigmoid_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}
