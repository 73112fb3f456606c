// expect: wrong_answer wrong_value
//
// Quantised matrix multiplication with sums in a short.
//
// One product may have 15 bits; three of them leave the range.

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* C,
                                   int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        short sum = 0;
        for (int k = 0; k < N; k++) {
            sum += A[row * N + k] * B[k * K + column];
        }
        float result = rintf(sum * scale[column]);
        C[row * K + column] = fminf(fmaxf(result, -128.0f), 127.0f);
    }
}
