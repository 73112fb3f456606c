// expect: memory_limit_exceeded
//
// Reduction that asks for a scratch array of N * N floats.
//
// The student plans a table of the sums of all ranges, and so far fills its first row. A hundred thousand elements have
// 40 GB of ranges; a sum needs one number for each thread at most. The check of the call's answer at least ends the
// program where the mistake is: without it, the kernel would write through a null pointer.

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void sums_from_the_first(const float* input, float* table, int N) {
    float sum = 0.0f;
    for (int end = 0; end < N; end++) {
        sum += input[end];
        table[end] = sum;
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    float* table;
    cudaError_t error = cudaMalloc(&table, sizeof(float) * N * N);  // <- here
    if (error != cudaSuccess) {
        fprintf(stderr, "no scratch: %s\n", cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
    sums_from_the_first<<<1, 1>>>(input, table, N);
    cudaMemcpy(output, table + N - 1, sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(table);
}
