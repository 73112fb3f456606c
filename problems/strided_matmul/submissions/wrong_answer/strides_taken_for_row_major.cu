// expect: wrong_answer wrong_value
//
// Strided matrix multiplication of row-major matrices.
//
// The student knows the shapes, and takes the strides from them.

__global__ void matmulKernel(float* out, const int* out_strides, const float* a_storage, const int* a_shape,
                             const int* a_strides, const float* b_storage, const int* b_shape, const int* b_strides,
                             int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int batch = blockIdx.z;
    if (row < M && column < K) {
        const float* a = a_storage + (a_shape[0] > 1 ? batch * a_strides[0] : 0) + row * a_strides[1];
        const float* b = b_storage + (b_shape[0] > 1 ? batch * b_strides[0] : 0) + column * b_strides[2];
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += a_storage[(a_shape[0] > 1 ? batch * M * N : 0) + row * N + k] * b[k * b_strides[1]];
        }
        out[batch * out_strides[0] + row * out_strides[1] + column * out_strides[2]] = sum;
    }
}
