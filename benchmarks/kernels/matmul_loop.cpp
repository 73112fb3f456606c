/* The loop nest that the emulator's speed is compared with: scalar, sizes known at run time only. */
extern "C" void matmul(const float *A, const float *B, float *C, int M, int N, int K) {
    for (int row = 0; row < M; ++row)
        for (int col = 0; col < K; ++col) {
            float sum = 0.0f;
            for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
            C[row * K + col] = sum;
        }
}
