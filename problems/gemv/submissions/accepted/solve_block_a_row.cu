// expect: accepted
//
// Matrix times vector with host code that picks the launch by the shape.
//
// Long rows get a block each: 256 threads read one row, and shuffles and 8 floats of shared memory add up their sums.
// Short rows would leave most of such a block idle, so they get a thread each. For each shape there is a kernel that
// suits it.

#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void block_a_row(const float* A, const float* x, float* y, int N) {
    __shared__ float partial[BLOCK / 32];
    const float* a = A + blockIdx.x * N;

    float sum = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        sum += a[j] * x[j];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (float part : partial) {
            total += part;
        }
        y[blockIdx.x] = total;
    }
}

__global__ void thread_a_row(const float* A, const float* x, float* y, int M, int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += A[row * N + j] * x[j];
        }
        y[row] = sum;
    }
}

extern "C" void solve(const float* A, const float* x, float* y, int M, int N) {
    if (N >= 64) {
        block_a_row<<<M, BLOCK>>>(A, x, y, N);
    } else {
        thread_a_row<<<(M + 127) / 128, 128>>>(A, x, y, M, N);
    }
}
