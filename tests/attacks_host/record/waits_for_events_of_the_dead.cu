// expect: runtime_error launch_failure
// A stream and an event that are used after their end.
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    cudaEventDestroy(event);
    cudaStreamWaitEvent(stream, event, 0);
    cudaStreamDestroy(stream);
    cudaMemsetAsync(C, 0, N * sizeof(float), stream);
}
