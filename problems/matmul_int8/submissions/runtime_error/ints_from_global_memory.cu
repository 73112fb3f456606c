// expect: runtime_error misaligned
//
// Quantised matrix multiplication that reads four bytes of A as an int.
//
// Rows begin at multiples of N bytes, and an int at multiples of four.

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* C,
                                   int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        int sum = 0;
        int k = 0;
        for (; k + 3 < N; k += 4) {
            char4 four = *reinterpret_cast<const char4*>(&A[row * N + k]);  // <- here
            sum += four.x * B[k * K + column] + four.y * B[(k + 1) * K + column];
            sum += four.z * B[(k + 2) * K + column] + four.w * B[(k + 3) * K + column];
        }
        for (; k < N; k++) {
            sum += A[row * N + k] * B[k * K + column];
        }
        float result = rintf(sum * scale[column]);
        C[row * K + column] = fminf(fmaxf(result, -128.0f), 127.0f);
    }
}
