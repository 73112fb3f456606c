// A graph captured from two streams that fork and join, launched three times.
__global__ void twice(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] * 2;
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaStream_t stream, branch;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&branch);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(branch, fork, 0);
    twice<<<1, 32, 0, branch>>>(A, C, N / 2);
    twice<<<1, 32, 0, stream>>>(A + N / 2, C + N / 2, N - N / 2);
    cudaEventRecord(join, branch);
    cudaStreamWaitEvent(stream, join, 0);
    cudaStreamEndCapture(stream, &graph);
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    for (size_t i = 0; i <= nodes; i++) cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
}
