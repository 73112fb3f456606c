// expect: accepted
//
// Quantised matrix multiplication, step 1: one thread for each element.
//
// The sum is an int; only the last step uses floats.

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* C,
                                   int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        int sum = 0;
        for (int k = 0; k < N; k++) {
            sum += A[row * N + k] * B[k * K + column];
        }
        float result = rintf(sum * scale[column]);
        C[row * K + column] = fminf(fmaxf(result, -128.0f), 127.0f);
    }
}
