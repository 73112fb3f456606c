// expect: wrong_answer wrong_value
//
// Sparse matrix times dense matrix of rows with up to 32 entries.
//
// A longer row needs a loop.

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
    int first = offsets[i];
    if (first < end) {
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
