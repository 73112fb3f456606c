// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// A check after every call, as careful files have it; none of them fails.

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
    CHECK(cudaSetDevice(0));
    add<<<(N + 255) / 256, 256>>>(a, b, output, N);
    CHECK(cudaPeekAtLastError());
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
