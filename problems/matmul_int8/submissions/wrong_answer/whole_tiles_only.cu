// expect: wrong_answer wrong_value
//
// Quantised matrix multiplication that leaves out the last tile.
//
// The loop goes over whole tiles of N.

#define TILE 32

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* C,
                                   int M, int N, int K) {
    __shared__ signed char a[TILE][TILE];
    __shared__ signed char b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    int sum = 0;
    for (int first = 0; first + TILE <= N; first += TILE) {
        a[y][x] = row < M && first + x < N ? A[row * N + first + x] : 0;
        b[y][x] = first + y < N && column < K ? B[(first + y) * K + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += a[y][k] * b[k][x];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        int result = __float2int_rn(sum * scale[column]);
        C[row * K + column] = min(max(result, -128), 127);
    }
}
