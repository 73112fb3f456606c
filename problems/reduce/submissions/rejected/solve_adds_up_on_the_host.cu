// expect: rejected
//
// Reduction that copies the whole input to the host and adds it up there.
//
// Right, and no work of the GPU: the problem is about the device, and what the host computes would not even be timed.
// A few bytes may be copied to the host, to decide what to launch next.

#include <cuda_runtime.h>
#include <numeric>
#include <vector>

extern "C" void solve(const float* input, float* output, int N) {
    std::vector<float> values(N);
    cudaMemcpy(values.data(), input, N * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = std::accumulate(values.begin(), values.end(), 0.0);
    cudaMemcpy(output, &sum, sizeof(float), cudaMemcpyHostToDevice);
}
