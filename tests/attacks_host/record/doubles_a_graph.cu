// expect: time_limit_exceeded
// A graph that holds the graph before twice, and so on: 2^40 steps, of which none is ever launched. The graph is refused early.
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraphExec_t inner = nullptr;
    for (int level = 0; level < 40; level++) {
        cudaGraph_t graph;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
        if (inner) {
            cudaGraphLaunch(inner, stream);
            cudaGraphLaunch(inner, stream);
        } else {
            cudaMemsetAsync(C, 0, 4, stream);
        }
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&inner, graph, 0);
    }
}
