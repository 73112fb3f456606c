// expect: wrong_answer
// problem: zip
// row: 24
//
// Writes NaNs with a payload, as a judge may use them to mark what is not written yet.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = __int_as_float(0x7ffab15a);
}
