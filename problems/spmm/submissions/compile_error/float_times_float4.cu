// expect: compile_error
//
// Sparse matrix times dense matrix with a product of a float and a float4.
//
// CUDA's vector types have no arithmetic of their own.

#define ROWS 8

__global__ void spmm_kernel(const int* offsets, const int* columns, const float* values, const float* B, float* C,
                            int M, int N, int K, int DEGREE) {
    int i = blockIdx.x * ROWS + threadIdx.y;
    int k = blockIdx.y * 32 + threadIdx.x;
    if (i < M && k < K) {
        float sum = 0.0f;
        for (int e = offsets[i]; e < offsets[i + 1]; e++) {
            float4 row = reinterpret_cast<const float4*>(B)[(size_t)columns[e] * K / 4];
            sum += (values[e] * row).x;  // <- here
        }
        C[(size_t)i * K + k] = sum;
    }
}
