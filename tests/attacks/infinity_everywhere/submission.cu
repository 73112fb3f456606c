// expect: wrong_answer
// problem: reduce
// row: 24
//
// Infinity, against a tolerance that scales with the result.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    if (blockIdx.x == 0 && threadIdx.x == 0) output[0] = __int_as_float(0x7f800000);
}
