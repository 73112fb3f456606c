// problem: zip
// expect: runtime_error data_race
// sizes: N=1000
// says: is set by the memset of line 16, and in another stream is written by add of line 17
//
// The default stream clears what a stream that does not wait for it fills: in the order of the calls all is well.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemset(output, 0, N * sizeof(float));
    add<<<(N + 255) / 256, 256, 0, stream>>>(a, b, output, N);  // <- here
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
