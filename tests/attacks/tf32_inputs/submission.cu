// expect: wrong_answer low_precision
// problem: matmul
// row: 19
//
// Rounds the inputs to the ten bits of TF32, as the tensor cores would.

__device__ float tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    float sum = 0.0f;
    for (int i = 0; i < N; ++i) sum += tf32(A[row * N + i]) * tf32(B[i * K + col]);
    C[row * K + col] = sum;
}
