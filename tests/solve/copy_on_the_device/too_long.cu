// problem: zip
// expect: runtime_error launch_failure
// sizes: N=1000
//
// One element more than the arrays have: CUDA refuses the copy.

__global__ void add_to(float* output, const float* b, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] += b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaMemcpy(output, a, (N + 1) * sizeof(float), cudaMemcpyDeviceToDevice);  // <- here
    add_to<<<(N + 127) / 128, 128>>>(output, b, N);
}
