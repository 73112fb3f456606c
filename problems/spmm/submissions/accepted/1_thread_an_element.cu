// expect: accepted
//
// Sparse matrix times dense matrix, step 1: a thread for each element of C.
//
// The lanes of a warp have neighbouring columns, so each entry's row of B is read in one piece. The entry itself is
// loaded by all of them, at the same address.

#define ROWS 8

__global__ void spmm_kernel(const int* offsets, const int* columns, const float* values, const float* B, float* C,
                            int M, int N, int K, int DEGREE) {
    int i = blockIdx.x * ROWS + threadIdx.y;
    int k = blockIdx.y * 32 + threadIdx.x;
    if (i < M && k < K) {
        float sum = 0.0f;
        for (int e = offsets[i]; e < offsets[i + 1]; e++) {
            sum += values[e] * B[(size_t)columns[e] * K + k];
        }
        C[(size_t)i * K + k] = sum;
    }
}
