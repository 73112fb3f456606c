// problem: zip
// expect: runtime_error launch_failure
// sizes: N=1000
// says: the target is memory that is freed already (line 17)
//
// The scratch array is freed before it is cleared.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    float* t = nullptr;
    cudaMalloc(&t, N * sizeof(float));
    add<<<(N + 255) / 256, 256>>>(a, b, output, N);
    cudaFree(t);
    cudaMemset(t, 0, N * sizeof(float));  // <- here
}
