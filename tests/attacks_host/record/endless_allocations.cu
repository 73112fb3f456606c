// expect: time_limit_exceeded
// Fills the GPU's memory with pieces, and takes no refusal.
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    void* piece;
    for (;;) cudaMalloc(&piece, 16);
}
