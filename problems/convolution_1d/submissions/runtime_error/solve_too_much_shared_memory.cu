// expect: runtime_error launch_failure
//
// 1D convolution that asks for shared memory for the whole input and the whole output.
//
// A block has 48 KB unless a kernel asks for more, and never more than a few hundred. CUDA refuses the launch for all
// but short inputs.

#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* weights, float* output, int N, int K) {
    extern __shared__ float elements[];
    float* results = elements + N;
    for (int e = threadIdx.x; e < N; e += blockDim.x) {
        elements[e] = input[e];
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            int from = i + j - K / 2;
            if (from >= 0 && from < N) {
                sum += weights[j] * elements[from];
            }
        }
        results[i] = sum;
        output[i] = results[i];
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int N, int K) {
    convolve<<<(N + 255) / 256, 256, 2 * N * sizeof(float)>>>(input, weights, output, N, K);  // <- here
}
