// expect: runtime_error uninitialized_read
//
// Sparse matrix times dense matrix that adds up in C.
//
// C does not start as zeros.

#define ROWS 8

__global__ void spmm_kernel(const int* offsets, const int* columns, const float* values, const float* B, float* C,
                            int M, int N, int K, int DEGREE) {
    int i = blockIdx.x * ROWS + threadIdx.y;
    int k = blockIdx.y * 32 + threadIdx.x;
    if (i < M && k < K) {
        float sum = C[(size_t)i * K + k];  // <- here
        for (int e = offsets[i]; e < offsets[i + 1]; e++) {
            sum += values[e] * B[(size_t)columns[e] * K + k];
        }
        C[(size_t)i * K + k] = sum;
    }
}
