// Whole small programs: matrix product, softmax, transpose, stencil, templates.
#define TILE 8

extern "C" __global__ void tiled_matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float a[TILE][TILE], b[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < N; t += TILE) {
        a[threadIdx.y][threadIdx.x] = row < M && t + threadIdx.x < N ? A[row * N + t + threadIdx.x] : 0.f;
        b[threadIdx.y][threadIdx.x] = col < K && t + threadIdx.y < N ? B[(t + threadIdx.y) * K + col] : 0.f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < K) C[row * K + col] = sum;
}

template <typename T, int BLOCK>
__device__ T block_max(T v, T* scratch) {
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int step = BLOCK / 2; step; step /= 2) {
        if (threadIdx.x < step) scratch[threadIdx.x] = max(scratch[threadIdx.x], scratch[threadIdx.x + step]);
        __syncthreads();
    }
    T result = scratch[0];
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax(const float* x, float* y, int n) {
    __shared__ float scratch[64];
    const float* row = x + blockIdx.x * n;
    float m = -__int_as_float(0x7f800000);
    for (int i = threadIdx.x; i < n; i += 64) m = max(m, row[i]);
    m = block_max<float, 64>(m, scratch);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += expf(row[i] - m);
    for (int i = threadIdx.x; i < n; i += 64) y[blockIdx.x * n + i] = expf(row[i] - m) / sum;
}

extern "C" __global__ void transpose(const double* x, double* y, int rows, int columns) {
    __shared__ double tile[8][9];
    int c = blockIdx.x * 8 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = x[r * columns + c];
    __syncthreads();
    c = blockIdx.y * 8 + threadIdx.x;
    r = blockIdx.x * 8 + threadIdx.y;
    if (r < columns && c < rows) y[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}

template <int RADIUS>
__device__ void blur(const int* x, int* y, int n, int* window) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + RADIUS;
    window[at] = i < n ? x[i] : 0;
    if (threadIdx.x < RADIUS) {
        window[at - RADIUS] = i >= RADIUS ? x[i - RADIUS] : 0;
        window[at + blockDim.x] = i + blockDim.x < n ? x[i + blockDim.x] : 0;
    }
    __syncthreads();
    if (i >= n) return;
    int sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += window[at + k] * (RADIUS + 1 - abs(k));
    y[i] = sum;
}
extern "C" __global__ void stencil(const int* x, int* y, int n) {
    __shared__ int window[64 + 6];
    blur<3>(x, y, n, window);
}

extern "C" __global__ void strided_copy(const float* in, float* out, const int* shape, const int* strides, int rank, int size) {
    int index[6];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int rest = i;
    for (int d = rank - 1; d >= 0; --d) {
        index[d] = rest % shape[d];
        rest /= shape[d];
    }
    int from = 0;
    for (int d = 0; d < rank; ++d) from += index[d] * strides[d];
    out[i] = in[from];
}
