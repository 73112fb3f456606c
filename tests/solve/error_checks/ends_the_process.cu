// problem: zip
// expect: runtime_error launch_failure
// sizes: N=1000
//
// The check finds a launch that failed and ends the process: what failed counts, not how it ended.

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status = (call);                                                               \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));        \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    add<<<dim3(1, 1 << 20), 256>>>(a, b, output, N);  // <- here
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
