// problem: reduce
// expect: accepted
// sizes: N=1 N=1000
//
// A graph made by capturing a stream, with a fork into a second one, and launched twice: each launch adds half.

__global__ void add_half(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, 0.5f * input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaStream_t stream, branch;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&branch);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaMemsetAsync(output, 0, sizeof(float), stream);

    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(branch, fork, 0);
    int front = (N + 1) / 2;
    add_half<<<(front + 127) / 128, 128, 0, stream>>>(input, output, front);
    add_half<<<(N - front + 128) / 128, 128, 0, branch>>>(input + front, output, N - front);
    cudaEventRecord(join, branch);
    cudaStreamWaitEvent(stream, join, 0);
    cudaStreamEndCapture(stream, &graph);

    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}
