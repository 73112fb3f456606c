// expect: time_limit_exceeded
//
// Zip in chunks, by a loop on the host that does not come to an end.
//
// The student advances the start by the number of elements that are left instead of those that are done. Near the end
// that is 0.

#include <algorithm>
#include <cuda_runtime.h>

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int start = 0;
    while (start <= N) {
        int chunk = std::min(N - start, 1 << 20);
        if (chunk > 0) {
            vector_add<<<(chunk + 255) / 256, 256>>>(A + start, B + start, C + start, chunk);
        }
        start += chunk;
    }
}
