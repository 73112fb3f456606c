// problem: zip
// expect: runtime_error unsupported_call
// sizes: N=1000
//
// A graph that is put together node by node instead of being captured.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);  // <- here
    void* arguments[] = {&a, &b, &output, &N};
    cudaKernelNodeParams node = {};
    node.func = (void*)add;
    node.gridDim = dim3((N + 127) / 128);
    node.blockDim = dim3(128);
    node.kernelParams = arguments;
    cudaGraphNode_t added;
    cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, 0);
}
