// expect: wrong_answer wrong_value
//
// The factor loses its fraction on the way.
__global__ void example_kernel(int N, float a, const float* x, const float* y, float* result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int factor = (int)a;
    if (i < N) {
        result[i] = factor * x[i] + y[i];
    }
}
