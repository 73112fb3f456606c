// expect: wrong_answer
// problem: map
// row: 24
//
// NaN in each element: every comparison with it is false, also that of an error with a limit.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = __int_as_float(0x7fc00000);
}
