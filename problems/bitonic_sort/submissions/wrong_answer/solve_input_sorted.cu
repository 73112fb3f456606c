// expect: wrong_answer changed_input
//
// Bitonic sort of the input, which is then copied.
//
// The input is const for a reason: others may read it.

#include <cuda_runtime.h>

#define BLOCK 256

__global__ void compare(float* keys, int N, int distance, int mirror) {
    int pair = blockIdx.x * BLOCK + threadIdx.x;
    int low = pair / distance * (2 * distance) + pair % distance;
    int high = mirror ? low ^ (2 * distance - 1) : low + distance;
    if (high < N && keys[low] > keys[high]) {
        float larger = keys[low];
        keys[low] = keys[high];
        keys[high] = larger;
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    float* keys = const_cast<float*>(input);
    for (int length = 2; length / 2 < N; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            // The last pair that may have both places below N.
            int pairs = (N + 2 * distance - 1) / (2 * distance) * distance;
            compare<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(keys, N, distance, distance == length / 2);
        }
    }
    cudaMemcpy(output, keys, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
