// expect: accepted
//
// Matrix times vector, a variant of step 2: pieces of x in shared memory.
//
// The eight rows of a block need the same x. The block copies 1024 elements of it at a time, and each warp reads them
// from there. The caches do much the same by themselves, and the two barriers of each piece make fast warps wait: it
// takes a quarter longer than step 2 with 4096 x 4096, and 2 % with 16384 x 8192. No warp may leave early, since all
// have to reach the barriers.

#define BLOCK 256
#define PIECE 1024

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    __shared__ float piece[PIECE];

    int row = (blockIdx.x * BLOCK + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float sum = 0.0f;

    for (int start = 0; start < N; start += PIECE) {
        int length = min(PIECE, N - start);
        for (int j = threadIdx.x; j < length; j += BLOCK) {
            piece[j] = x[start + j];
        }
        __syncthreads();

        if (row < M) {
            for (int j = lane; j < length; j += 32) {
                sum += A[row * N + start + j] * piece[j];
            }
        }
        __syncthreads();
    }

    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (row < M && lane == 0) {
        y[row] = sum;
    }
}
