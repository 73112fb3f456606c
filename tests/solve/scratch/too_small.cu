// problem: zip
// expect: runtime_error out_of_bounds
// sizes: N=1 N=1000
//
// The scratch array has room for N - 1 elements.

__global__ void copy(const float* a, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = a[i];  // <- here
}

__global__ void add(const float* t, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = t[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    float* t = nullptr;
    cudaMalloc(&t, N == 1 ? sizeof(float) : (N - 1) * sizeof(float));
    copy<<<(N + 255) / 256, 256>>>(a, t, N);
    add<<<(N + 255) / 256, 256>>>(t, b, output, N);
    cudaFree(t);
}
