// expect: wrong_value
#include <cuda_runtime.h>

__global__ void work(const double* p, const double* q, double scale, double* distance, int n) {
    __shared__ float sums[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) sum += (p[i] - q[i]) * (p[i] - q[i]);
    sums[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *distance = scale * sums[0];
}

extern "C" void solve(const double* p, const double* q, double scale, double* distance, int n) {
    work<<<1, 256>>>(p, q, scale, distance, n);
}
