// expect: time_limit_exceeded
// Fills the judge's memory with events.
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (;;) {
        cudaEvent_t event;
        cudaEventCreate(&event);
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(stream, event, 0);
        cudaEventDestroy(event);
    }
}
