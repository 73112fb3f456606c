// problem: zip
// expect: runtime_error uninitialized_read
// sizes: N=1000
// says: bytes, allocated in line 15.
//
// The launch that fills the scratch array is missing: what comes out of cudaMalloc is not zero.

__global__ void add(const float* t, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = t[i] + b[i];  // <- here
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    float* t = nullptr;
    cudaMalloc(&t, N * sizeof(float));
    add<<<(N + 255) / 256, 256>>>(t, b, output, N);
    cudaFree(t);
}
