// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// Scratch from cudaMalloc between two kernels, freed afterwards.

__global__ void negate(const float* a, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = -a[i];
}

__global__ void subtract(const float* t, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = b[i] - t[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    float* t = nullptr;
    cudaMalloc((void**)&t, N * sizeof(float));
    negate<<<(N + 255) / 256, 256>>>(a, t, N);
    subtract<<<(N + 255) / 256, 256>>>(t, b, output, N);
    cudaFree(t);
}
