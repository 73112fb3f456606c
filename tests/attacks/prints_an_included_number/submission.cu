// expect: compile_error
// problem: zip
// row: emulator
//
// Includes a file that holds a number as part of an expression, and prints it.

#include <cstdio>

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int secret =
#define SECRET </proc/sys/kernel/pid_max>
#include SECRET
        ;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) printf("%d\n", secret);
    if (i < N) output[i] = a[i] + b[i];
}
