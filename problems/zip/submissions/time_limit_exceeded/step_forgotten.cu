// expect: time_limit_exceeded
//
// Vector addition with a loop that never moves on.
//
// The student turned the for loop into a while loop and lost its step.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < N) {
        output[i] = a[i] + b[i];
        // i += gridDim.x * blockDim.x; is missing here.
    }
}
