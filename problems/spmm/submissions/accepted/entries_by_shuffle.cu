// expect: accepted
//
// Sparse matrix times dense matrix where each lane loads one entry for all.
//
// Added to step 1: a warp loads 32 entries at once and hands them round by shuffles. Two loads in turn, of the column
// and then of B, become one for each entry. But two shuffles and a loop that isn't unrolled cost more than two loads that
// L1 serves: it takes a quarter to a half longer than step 1 (93.7, 214 and 84.4 us at the benchmark sizes on an H200,
// where step 1 takes 75.8, 143 and 60.8), and executes 2.44 M instructions where step 1 executes 1.77 M.

#define ROWS 8

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
        for (int e = 0; e < count; e++) {
            float factor = __shfl_sync(0xffffffffu, value, e);
            int row = __shfl_sync(0xffffffffu, column, e);
            if (k < K) {
                sum += factor * B[(size_t)row * K + k];
            }
        }
    }
    if (k < K) {
        C[(size_t)i * K + k] = sum;
    }
}
