// problem: zip
// expect: runtime_error uninitialized_read
// sizes: N=1000
//
// The copy has N bytes, a quarter of the array.

__global__ void add_to(float* output, const float* b, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] += b[i];  // <- here
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaMemcpy(output, a, N, cudaMemcpyDeviceToDevice);
    add_to<<<(N + 127) / 128, 128>>>(output, b, N);
}
