// problem: zip
// expect: wrong_answer
// sizes: N=1 N=1000
// says: not after other calls in the same one
//
// The first call decides how many blocks there are.
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    static const int blocks = (N + 255) / 256;
    add<<<blocks, 256>>>(a, b, output, N);
}
