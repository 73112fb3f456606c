// problem: zip
// expect: wrong_answer
// sizes: N=1 N=1000
// says: not after other calls in the same one
//
// The graph is captured for a size, and launches on the arrays of the first call of that size.
#include <cuda_runtime.h>

#include <map>

__global__ void add(const float* a, const float* b, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    static std::map<int, cudaGraphExec_t> graphs;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    if (!graphs[N]) {
        cudaGraph_t captured;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        add<<<(N + 255) / 256, 256, 0, stream>>>(a, b, output, N);
        cudaStreamEndCapture(stream, &captured);
        cudaGraphInstantiate(&graphs[N], captured, 0);
    }
    cudaGraphLaunch(graphs[N], stream);
    cudaStreamSynchronize(stream);
}
