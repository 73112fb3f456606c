// expect: runtime_error unsupported_call
// says: cudaGraphCreate() is not supported here
// hint: make the graph by capturing a stream
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);  // <- here
}
