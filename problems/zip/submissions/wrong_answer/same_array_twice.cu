// expect: wrong_answer wrong_value
//
// Vector addition that adds a to itself.
//
// The student typed a[i], copied it for the second operand, and forgot to change the name.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = a[i] + a[i];
    }
}
