// expect: wrong_answer low_precision
//
// Batched matrix multiplication with operands cut to TF32, as tensor cores take them.
//
// TF32 has the range of fp32, but only 11 of its 24 significant bits.

__device__ float to_tf32(float value) {
    return __uint_as_float(__float_as_uint(value) & 0xffffe000u);
}

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += to_tf32(A[(b * M + row) * N + k]) * to_tf32(B[(b * N + k) * K + column]);
        }
        C[(b * M + row) * K + column] = sum;
    }
}
