// expect: wrong_answer low_precision
// problem: zip
// row: 19
//
// Adds what is left of the numbers without their last four bits.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = __int_as_float(__float_as_int(a[i]) & ~15), y = __int_as_float(__float_as_int(b[i]) & ~15);
    output[i] = x + y;
}
