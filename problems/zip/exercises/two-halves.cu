#include <cuda_runtime.h>

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int half = N / 2;
    int begin[2] = {0, half};
    int count[2] = {half, half};
    cudaStream_t streams[2];

    for (int s = 0; s < 2; s++) {
        cudaStreamCreate(&streams[s]);
        if (count[s] > 0) {
            int blocks = (count[s] + 255) / 256;
            vector_add<<<blocks, 256, 0, streams[s]>>>(A + begin[s], B + begin[s], C + begin[s], count[s]);
        }
    }
    for (int s = 0; s < 2; s++) {
        cudaStreamSynchronize(streams[s]);
        cudaStreamDestroy(streams[s]);
    }
}
