// The same product through tiles in shared memory: each block loads a tile of A and of B once for all its threads.
#define TILE 16
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < N; start += TILE) {
        int x = start + threadIdx.x, y = start + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < M && x < N ? A[row * N + x] : 0.0f;
        b[threadIdx.y][threadIdx.x] = y < N && col < K ? B[y * K + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < K) C[row * K + col] = sum;
}
