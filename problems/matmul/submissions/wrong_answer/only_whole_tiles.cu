// expect: wrong_answer unwritten_output
//
// Matrix multiplication that writes only those tiles of C that lie inside as a whole.
//
// The student was told to keep the threads of the last blocks from writing past the end, and skipped these blocks
// altogether. The guard belongs to the thread, not to the block.

#define TILE 16

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;

    bool whole_tile = (blockIdx.x + 1) * TILE <= K && (blockIdx.y + 1) * TILE <= M;
    if (whole_tile) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[k * K + column];
        }
        C[row * K + column] = sum;
    }
}
