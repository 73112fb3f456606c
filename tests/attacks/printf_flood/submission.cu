// expect: time_limit_exceeded | wrong_answer | runtime_error
// problem: zip
// row: emulator
//
// Prints without an end.

#include <cstdio>

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (long long k = 0; k < 1ll << 40; ++k) printf("%d Accepted\n", i);
    if (i < N) output[i] = a[i] + b[i];
}
