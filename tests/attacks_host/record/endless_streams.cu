// expect: runtime_error launch_failure
// Work on more streams than anybody keeps apart.
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (int i = 0; i < 70000; i++) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, i % 2 ? cudaStreamNonBlocking : cudaStreamDefault);
        cudaMemsetAsync(C, 0, 4, stream);
        cudaStreamDestroy(stream);
    }
}
