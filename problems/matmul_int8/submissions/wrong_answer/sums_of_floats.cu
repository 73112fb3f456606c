// expect: wrong_answer wrong_value
//
// Quantised matrix multiplication that adds up in a float.
//
// Beyond 2^24 a float can't hold each whole number: thousands of products lose a little each.

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* C,
                                   int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += A[row * N + k] * B[k * K + column];
        }
        float result = rintf(sum * scale[column]);
        C[row * K + column] = fminf(fmaxf(result, -128.0f), 127.0f);
    }
}
