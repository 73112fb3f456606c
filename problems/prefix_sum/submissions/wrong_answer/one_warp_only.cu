// expect: wrong_answer wrong_value
//
// Prefix sum by shuffles that ends at the warp.
//
// A shuffle never leaves its warp. From element 32 on the sums of the warps before are missing.

#define BLOCK 32

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    for (int j = threadIdx.x; j < (N + 31) / 32 * 32; j += BLOCK) {
        float value = j < N ? input[blockIdx.x * N + j] : 0.0f;
        for (int distance = 1; distance < 32; distance *= 2) {
            float left = __shfl_up_sync(0xffffffffu, value, distance);
            if (threadIdx.x >= distance) {
                value += left;
            }
        }
        if (j < N) {
            output[blockIdx.x * N + j] = value;
        }
    }
}
