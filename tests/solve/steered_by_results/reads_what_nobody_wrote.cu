// problem: zip
// expect: runtime_error uninitialized_read
// on gpu: runtime_error uninitialized_read | accepted
// sizes: N=1000
// says: solve() copies 4 bytes of output to the host, which nobody has written
//
// What an output holds before it is written would tell which run this is.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    float before;
    cudaMemcpy(&before, output, sizeof before, cudaMemcpyDeviceToHost);  // <- here
    if (before != 1) add<<<(N + 127) / 128, 128>>>(a, b, output, N);
}
