// expect: compile_error
//
// Vector addition with a closing brace missing.
//
// The student deleted one line too many.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = a[i] + b[i];
}
