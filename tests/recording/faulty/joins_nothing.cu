// expect: runtime_error launch_failure
// says: cudaStreamEndCapture() fails with 'capturing stream has unjoined work' (cudaErrorStreamCaptureUnjoined)
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaStream_t stream, branch;
    cudaEvent_t fork;
    cudaGraph_t graph;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&branch);
    cudaEventCreate(&fork);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(branch, fork, 0);
    cudaMemsetAsync(C, 0, 4, branch);
    cudaStreamEndCapture(stream, &graph);  // <- here
}
