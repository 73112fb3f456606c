// problem: zip
// expect: runtime_error data_race
// sizes: N=1000
// says: is written by negate of line 32, and in another stream is read by subtract of line 33
//
// The branch of a graph is joined at its end, after the launch that reads what it writes.

__global__ void negate(const float* b, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = -b[i];
}

__global__ void subtract(const float* a, const float* t, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] - t[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t stream, branch;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    float* t;
    cudaMalloc(&t, N * sizeof(float));
    cudaStreamCreate(&stream);
    cudaStreamCreate(&branch);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(branch, fork, 0);
    negate<<<(N + 255) / 256, 256, 0, branch>>>(b, t, N);
    subtract<<<(N + 255) / 256, 256, 0, stream>>>(a, t, output, N);  // <- here
    cudaEventRecord(join, branch);
    cudaStreamWaitEvent(stream, join, 0);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, 0);
    cudaDeviceSynchronize();
    cudaFree(t);
}
