// expect: accepted
//
// Matrix times vector, step 2: one warp computes one row.
//
// Added to step 1: the lanes of a warp read 32 neighbouring floats, one line of memory, and all of it is used. Each
// lane has the sum of every 32nd product; five shuffles add up the lanes. A row's lanes all exist or all do not, for
// there are exactly 32 a row, so the whole warp arrives at the shuffles.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    int lane = thread % 32;
    if (row >= M) {
        return;
    }

    float sum = 0.0f;
    for (int j = lane; j < N; j += 32) {
        sum += A[row * N + j] * x[j];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}
