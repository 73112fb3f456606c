// expect: wrong_answer wrong_value
//
// Bitonic sort from large to small.
//
// The smaller element has to come first.

#include <cuda_runtime.h>

#define BLOCK 256

__global__ void compare(float* keys, int N, int distance, int mirror) {
    int pair = blockIdx.x * BLOCK + threadIdx.x;
    int low = pair / distance * (2 * distance) + pair % distance;
    int high = mirror ? low ^ (2 * distance - 1) : low + distance;
    if (high < N && keys[low] < keys[high]) {
        float larger = keys[low];
        keys[low] = keys[high];
        keys[high] = larger;
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemcpy(output, input, N * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int length = 2; length / 2 < N; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            // The last pair that may have both places below N.
            int pairs = (N + 2 * distance - 1) / (2 * distance) * distance;
            compare<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(output, N, distance, distance == length / 2);
        }
    }
}
