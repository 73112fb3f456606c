// expect: wrong_answer wrong_value
//
// Quantised matrix multiplication that cuts off.
//
// A conversion to an integer goes towards zero. On average that makes every number half a step smaller.

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* C,
                                   int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        int sum = 0;
        for (int k = 0; k < N; k++) {
            sum += A[row * N + k] * B[k * K + column];
        }
        float result = truncf(sum * scale[column]);
        C[row * K + column] = fminf(fmaxf(result, -128.0f), 127.0f);
    }
}
