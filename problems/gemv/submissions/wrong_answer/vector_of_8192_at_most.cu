// expect: wrong_answer wrong_value
//
// Matrix times vector with a table of 8192 elements for x.
//
// 32 KiB of shared memory hold no more, and what lies beyond is left out.

#define BLOCK 256

constexpr int LENGTH = 8192;

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    __shared__ float known[LENGTH];
    int length = min(N, LENGTH);
    for (int j = threadIdx.x; j < length; j += BLOCK) {
        known[j] = x[j];
    }
    __syncthreads();
    int row = (blockIdx.x * BLOCK + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= M) {
        return;
    }
    float sum = 0.0f;
    for (int j = lane; j < length; j += 32) {
        sum += A[(size_t)row * N + j] * known[j];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}
