// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// What outlives a call fits each later one: a workspace that grows, a graph for each set of arguments, and a table.
#include <cuda_runtime.h>

#include <map>
#include <tuple>

__constant__ float one[1];

__global__ void add(const float* a, const float* b, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + one[0] * b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    static float* workspace = nullptr;
    static int room = 0;
    static cudaStream_t stream = nullptr;
    static std::map<std::tuple<const float*, const float*, float*, int>, cudaGraphExec_t> graphs;
    if (!stream) {
        const float value = 1.0f;
        cudaMemcpyToSymbol(one, &value, sizeof value);
        cudaStreamCreate(&stream);
    }
    if (room < N) {
        graphs.clear();
        cudaFree(workspace);
        cudaMalloc(&workspace, N * sizeof(float));
        room = N;
    }
    cudaGraphExec_t& graph = graphs[{a, b, output, N}];
    if (!graph) {
        cudaGraph_t captured;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        add<<<(N + 255) / 256, 256, 0, stream>>>(a, b, workspace, N);
        cudaMemcpyAsync(output, workspace, N * sizeof(float), cudaMemcpyDeviceToDevice, stream);
        cudaStreamEndCapture(stream, &captured);
        cudaGraphInstantiate(&graph, captured, 0);
        cudaGraphDestroy(captured);
    }
    cudaGraphLaunch(graph, stream);
    cudaStreamSynchronize(stream);
}
