// expect: wrong_answer unwritten_output
//
// Zip in two halves that leave out the last element of an odd length.
//
// Both halves have N / 2 elements, rounded down. With an even N that is all of them.

#include <cuda_runtime.h>

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int half = N / 2;
    int blocks = (half + 255) / 256;
    if (half == 0) {
        return;
    }
    vector_add<<<blocks, 256>>>(A, B, C, half);
    vector_add<<<blocks, 256>>>(A + half, B + half, C + half, half);
}
