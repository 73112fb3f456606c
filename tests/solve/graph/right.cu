// problem: reduce
// expect: accepted
// sizes: N=1 N=1000
//
// A graph made by capturing a stream, with a fork into a second one, and launched twice. Each launch adds up every
// second element, and says to the next one where to begin.

__global__ void add_every_second(const float* input, float* output, const int* first, int begin, int end) {
    int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < end && i % 2 == *first) atomicAdd(output, input[i]);
}

__global__ void next(int* first) { *first += 1; }

extern "C" void solve(const float* input, float* output, int N) {
    cudaStream_t stream, branch;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int* first;
    cudaMalloc(&first, sizeof(int));
    cudaStreamCreate(&stream);
    cudaStreamCreate(&branch);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaMemsetAsync(output, 0, sizeof(float), stream);
    cudaMemsetAsync(first, 0, sizeof(int), stream);

    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(branch, fork, 0);
    int half = (N + 1) / 2, blocks = (half + 127) / 128;
    add_every_second<<<blocks, 128, 0, stream>>>(input, output, first, 0, half);
    add_every_second<<<blocks, 128, 0, branch>>>(input, output, first, half, N);
    cudaEventRecord(join, branch);
    cudaStreamWaitEvent(stream, join, 0);
    next<<<1, 1, 0, stream>>>(first);
    cudaStreamEndCapture(stream, &graph);

    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaFree(first);
}
