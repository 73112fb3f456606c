#include <cuda_runtime.h>

__global__ void work(float* signal, float angle, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float re = signal[2 * i], im = signal[2 * i + 1], c = cosf(angle), s = sinf(angle);
        signal[2 * i] = re * c - im * s;
        signal[2 * i + 1] = re * s + im * c;
    }
}

extern "C" void solve(float* signal, float angle, int n) {
    work<<<(n + 255) / 256, 256>>>(signal, angle, n);
}
