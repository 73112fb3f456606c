// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// A lambda of the device that captures the arrays, and constexpr functions of the standard library in it.

#include <algorithm>

template <typename F>
__global__ void each(int count, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) f(i);
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    each<<<(N + 255) / 256, 256>>>(N, [=] __device__(int i) { output[std::min(i, N - 1)] = a[i] + b[i]; });
}
