// expect: runtime_error misaligned
//
// Matrix times vector by float4 for every N.
//
// Only where N is a multiple of four do all rows begin at a multiple of 16 bytes. Row 1 of a matrix with 5 columns
// begins at byte 20.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= M) {
        return;
    }
    const float* a = A + row * N;
    float sum = 0.0f;
    for (int j = 4 * lane; j + 3 < N; j += 128) {
        float4 u = *reinterpret_cast<const float4*>(a + j);  // <- here
        float4 v = *reinterpret_cast<const float4*>(x + j);
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    int tail = N / 4 * 4 + lane;
    if (tail < N) {
        sum += a[tail] * x[tail];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}
