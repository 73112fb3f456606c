// problem: zip
// expect: accepted
// sizes: N=1000
//
// Allocates and frees in a loop, 50 GB in all. What is freed is given again.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    for (int round = 0; round < 500; round++) {
        float* t = nullptr;
        cudaMalloc(&t, 100 << 20);
        cudaMemcpy(t, b, N * sizeof(float), cudaMemcpyDeviceToDevice);
        if (round == 499) add<<<(N + 255) / 256, 256>>>(a, t, output, N);
        cudaFree(t);
    }
}
