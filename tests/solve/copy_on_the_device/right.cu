// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// Copies from device to device: a into the output, and b added to it.

__global__ void add_to(float* output, const float* b, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] += b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaMemcpy(output, a, N * sizeof(float), cudaMemcpyDeviceToDevice);
    float* t;
    cudaMalloc(&t, N * sizeof(float));
    cudaMemcpyAsync(t, b, N * sizeof(float), cudaMemcpyDefault, 0);
    add_to<<<(N + 127) / 128, 128>>>(output, t, N);
    cudaFree(t);
}
