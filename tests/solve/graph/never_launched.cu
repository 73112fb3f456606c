// problem: zip
// expect: wrong_answer unwritten_output
// sizes: N=1000
//
// A launch on a stream that is being captured is noted and not run; the launch of the graph is missing.

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
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaStreamSynchronize(stream);
}
