// expect: accepted
//
// Sparse matrix times dense matrix, step 2: each lane loads one entry for all.
//
// Added to step 1: a warp loads 32 entries at once and hands them round by shuffles. Two loads in turn, of the column
// and then of B, become one for each entry. The rows of B of four entries are asked for before the first is used: a loop
// with a shuffle in it isn't unrolled by itself, and one load at a time leaves the memory idle.

#define ROWS 8
#define AHEAD 4

__global__ void spmm_kernel(const int* offsets, const int* columns, const float* values, const float* B, float* C,
                            int M, int N, int K, int DEGREE) {
    int i = blockIdx.x * ROWS + threadIdx.y;
    int lane = threadIdx.x;
    int k = blockIdx.y * 32 + lane;
    if (i >= M) {
        return;
    }
    int end = offsets[i + 1];
    float sum = 0.0f;
    for (int first = offsets[i]; first < end; first += 32) {
        int column = first + lane < end ? columns[first + lane] : 0;
        float value = first + lane < end ? values[first + lane] : 0.0f;
        int count = min(32, end - first);
        for (int e = 0; e < count; e += AHEAD) {
            float elements[AHEAD];
#pragma unroll
            for (int n = 0; n < AHEAD; n++) {
                int row = __shfl_sync(0xffffffffu, column, e + n);
                elements[n] = k < K && e + n < count ? B[(size_t)row * K + k] : 0.0f;
            }
#pragma unroll
            for (int n = 0; n < AHEAD; n++) {
                sum += __shfl_sync(0xffffffffu, value, e + n) * elements[n];
            }
        }
    }
    if (k < K) {
        C[(size_t)i * K + k] = sum;
    }
}
