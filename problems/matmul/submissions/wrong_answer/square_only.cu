// expect: wrong_answer wrong_value
//
// Matrix multiplication with the wrong stride for A: right only while N = K.
//
// The student tried square matrices, where all strides are equal. A row of A has N elements, not K. The careful
// load, which never reads past the end of an array, turns what would be a crash into wrong numbers.

__device__ float load(const float* array, int size, int index) {
    return index < size ? array[index] : 0.0f;
}

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += load(A, M * N, row * K + k) * load(B, N * K, k * K + column);
        }
        C[row * K + column] = sum;
    }
}
