// expect: accepted
//
// Quantised matrix multiplication, step 3: four products in one instruction.
//
// Added to step 2: __dp4a multiplies four bytes of A with four of B and adds them up. The tile of B is stored
// transposed, so that four neighbours along k are one int; a row of it is four bytes longer, so that the 32 lanes,
// each in a row of its own, read from different banks. Expect up to four times the speed.

#define TILE 32

__global__ void matmul_int8_kernel(const signed char* __restrict__ A, const signed char* __restrict__ B,
                                   const float* __restrict__ scale, signed char* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(4) signed char a[TILE][TILE];
    __shared__ __align__(4) signed char b[TILE][TILE + 4];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    int sum = 0;
    for (int first = 0; first < N; first += TILE) {
        a[y][x] = row < M && first + x < N ? A[row * N + first + x] : 0;
        b[x][y] = first + y < N && column < K ? B[(first + y) * K + column] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k += 4) {
            sum = __dp4a(*reinterpret_cast<int*>(&a[y][k]), *reinterpret_cast<int*>(&b[x][k]), sum);
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        int result = __float2int_rn(sum * scale[column]);
        C[row * K + column] = min(max(result, -128), 127);
    }
}
