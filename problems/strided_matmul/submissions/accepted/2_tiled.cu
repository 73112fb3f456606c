// expect: accepted
//
// Strided matrix multiplication, step 2: tiles in shared memory.
//
// Added to step 1: each number is read from global memory once a block and used TILE times. Strides matter only
// while loading; the multiplication itself is that of any tiled kernel.

#define TILE 16

__global__ void matmulKernel(float* out, const int* out_strides, const float* a_storage, const int* a_shape,
                             const int* a_strides, const float* b_storage, const int* b_shape, const int* b_strides,
                             int BATCH, int M, int N, int K) {
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    int batch = blockIdx.z;
    int a_start = a_shape[0] > 1 ? batch * a_strides[0] : 0;
    int b_start = b_shape[0] > 1 ? batch * b_strides[0] : 0;
    float sum = 0.0f;
    for (int first = 0; first < N; first += TILE) {
        bool in_a = row < M && first + x < N;
        bool in_b = first + y < N && column < K;
        a[y][x] = in_a ? a_storage[a_start + row * a_strides[1] + (first + x) * a_strides[2]] : 0.0f;
        b[y][x] = in_b ? b_storage[b_start + (first + y) * b_strides[1] + column * b_strides[2]] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += a[y][k] * b[k][x];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        out[batch * out_strides[0] + row * out_strides[1] + column * out_strides[2]] = sum;
    }
}
