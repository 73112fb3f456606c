// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// Scratch from cudaMalloc between two kernels, freed afterwards.

__global__ void twice(const float* a, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = 2.0f * a[i];
}

__global__ void half_plus(const float* t, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 0.5f * t[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    float* t = nullptr;
    cudaMalloc((void**)&t, N * sizeof(float));
    twice<<<(N + 255) / 256, 256>>>(a, t, N);
    half_plus<<<(N + 255) / 256, 256>>>(t, b, output, N);
    cudaFree(t);
}
