// problem: zip
// expect: accepted
// sizes: N=1 N=500
//
// Results are copied to the host to be looked at, and 70 times a flag, by which a loop ends. None of it comes back.
#include <cstdio>
#include <vector>

__global__ void add(const float* a, const float* b, float* output, int* left, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
    if (i == 0) *left -= 1;
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    int *left, rounds = 70;
    cudaMalloc(&left, sizeof(int));
    cudaMemcpy(left, &rounds, sizeof(int), cudaMemcpyHostToDevice);
    for (int still = 1; still > 0;) {
        add<<<(N + 127) / 128, 128>>>(a, b, output, left, N);
        cudaMemcpy(&still, left, sizeof(int), cudaMemcpyDeviceToHost);
    }
    std::vector<float> seen(N);
    cudaMemcpy(seen.data(), output, N * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g to %g\n", seen.front(), seen.back());
    cudaFree(left);
}
