// expect: accepted
//
// Strided matrix multiplication, step 3: the threads run along the dimension with the smaller stride.
//
// Added to step 2: where columns lie closer together than rows, x runs along the columns while loading, and the
// tile is stored transposed, so that a warp reads neighbouring floats in either layout. A tile's row is one float
// longer: the 32 lanes that store along a column then reach different banks. It gains up to eight times the
// bandwidth on transposed inputs.

#define TILE 32

struct Tensor {
    const float* start;
    int rows, columns;
    int row_stride, column_stride;
};

__device__ __forceinline__ void load_tile(float (*tile)[TILE + 1], Tensor m, int first_row, int first_column) {
    bool along_columns = m.row_stride < m.column_stride;
    int y = along_columns ? threadIdx.x : threadIdx.y;
    int x = along_columns ? threadIdx.y : threadIdx.x;
    int row = first_row + y;
    int column = first_column + x;
    bool inside = row < m.rows && column < m.columns;
    tile[y][x] = inside ? m.start[row * m.row_stride + column * m.column_stride] : 0.0f;
}

__global__ void matmulKernel(float* __restrict__ out, const int* __restrict__ out_strides,
                             const float* __restrict__ a_storage, const int* __restrict__ a_shape,
                             const int* __restrict__ a_strides, const float* __restrict__ b_storage,
                             const int* __restrict__ b_shape, const int* __restrict__ b_strides, int BATCH, int M,
                             int N, int K) {
    __shared__ float a[TILE][TILE + 1];
    __shared__ float b[TILE][TILE + 1];
    int batch = blockIdx.z;
    Tensor left = {a_storage + (a_shape[0] > 1 ? batch * a_strides[0] : 0), M, N, a_strides[1], a_strides[2]};
    Tensor right = {b_storage + (b_shape[0] > 1 ? batch * b_strides[0] : 0), N, K, b_strides[1], b_strides[2]};
    int first_row = blockIdx.y * TILE;
    int first_column = blockIdx.x * TILE;
    float sum = 0.0f;
    for (int first = 0; first < N; first += TILE) {
        load_tile(a, left, first_row, first);
        load_tile(b, right, first, first_column);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        }
        __syncthreads();
    }
    int row = first_row + threadIdx.y;
    int column = first_column + threadIdx.x;
    if (row < M && column < K) {
        out[batch * out_strides[0] + row * out_strides[1] + column * out_strides[2]] = sum;
    }
}
