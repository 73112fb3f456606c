// problem: zip
// expect: runtime_error launch_failure
// sizes: N=1000
//
// Nothing can be waited for in a capture, since nothing runs.

#include <cstdlib>

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<(N + 127) / 128, 128, 0, stream>>>(a, b, output, N);
    if (cudaStreamSynchronize(stream) != cudaSuccess) exit(1);  // <- here
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
}
