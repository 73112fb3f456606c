// expect: wrong_answer wrong_value
//
// Transpose that adds to a result that starts at zero.
//
// 0 + x is x for every number but one: -0 arrives as +0.

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.x + threadIdx.y;
    if (row < M && column < N) {
        float result = 0.0f;
        result += input[(size_t)row * N + column];
        output[(size_t)column * M + row] = result;
    }
}
