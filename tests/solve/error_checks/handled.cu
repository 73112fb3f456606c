// problem: zip
// expect: accepted
// sizes: N=1000
//
// A launch that fails, is noticed, and is done again in a way that works.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    for (int threads = 4096; threads >= 32; threads /= 2) {
        add<<<(N + threads - 1) / threads, threads>>>(a, b, output, N);
        if (cudaGetLastError() == cudaSuccess) break;
    }
}
