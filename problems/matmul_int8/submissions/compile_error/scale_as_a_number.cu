// expect: compile_error
//
// Quantised matrix multiplication with one scale.
//
// There is one for each column.

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, float scale, signed char* C, int M,
                                   int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        int sum = 0;
        for (int k = 0; k < N; k++) {
            sum += A[row * N + k] * B[k * K + column];
        }
        C[row * K + column] = fminf(fmaxf(rintf(sum * scale), -128.0f), 127.0f);
    }
}
