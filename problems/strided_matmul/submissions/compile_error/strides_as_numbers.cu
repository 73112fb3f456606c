// expect: compile_error
//
// Strided matrix multiplication with one stride for each matrix.
//
// The strides come as arrays of three.

__global__ void matmulKernel(float* out, int out_stride, const float* a, int a_stride, const float* b, int b_stride,
                             int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += a[row * a_stride + k] * b[k * b_stride + column];
        }
        out[row * out_stride + column] = sum;
    }
}
