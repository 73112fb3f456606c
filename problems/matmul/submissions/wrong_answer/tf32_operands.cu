// expect: wrong_answer low_precision
//
// Matrix multiplication with operands cut to TF32, as tensor cores take them.
//
// The student read that TF32 "has the range of fp32" and took it for fp32. It has the range, but only 11 of the 24
// significant bits. accepted/three_tf32.cu shows how to get the other bits back.

__device__ float to_tf32(float value) {
    return __uint_as_float(__float_as_uint(value) & 0xffffe000u);
}

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += to_tf32(A[row * N + k]) * to_tf32(B[k * K + column]);
        }
        C[row * K + column] = sum;
    }
}
