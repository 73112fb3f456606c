// expect: runtime_error launch_failure
// says: the capture was ended before, by cudaMalloc(), which it forbids or which failed in it (line 10)
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    void* scratch;
    cudaMalloc(&scratch, 4 * N);
    cudaMemsetAsync(C, 0, 4 * N, stream);  // <- here
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
}
