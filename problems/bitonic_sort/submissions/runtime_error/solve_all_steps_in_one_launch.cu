// expect: runtime_error data_race
//
// Bitonic sort that launches all steps as one kernel.
//
// __syncthreads() waits for the threads of a block, not for the other blocks.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ void compare(float* keys, int N, int distance, int mirror) {
    int pair = blockIdx.x * BLOCK + threadIdx.x;
    int low = pair / distance * (2 * distance) + pair % distance;
    int high = mirror ? low ^ (2 * distance - 1) : low + distance;
    if (high < N && keys[low] > keys[high]) {
        float larger = keys[low];
        keys[low] = keys[high];
        keys[high] = larger;
    }
}

__global__ void sort(float* keys, int N) {
    for (int length = 2; length / 2 < N; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            compare(keys, N, distance, distance == length / 2);
            __syncthreads();
        }
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemcpy(output, input, N * sizeof(float), cudaMemcpyDeviceToDevice);
    int pairs = 1;
    while (2 * pairs < N) {
        pairs *= 2;
    }
    sort<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(output, N);
}
