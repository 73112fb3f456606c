// problem: matmul
// expect: runtime_error out_of_bounds
// sizes: M=20,N=33,K=17
// says: reads memory of the host: argument 1 of its launch is 0x
//
// The struct is passed by its address, and lies on the host.

struct Matrix {
    const float* data;
    int rows, columns;
};

__global__ void multiply(const Matrix* A, const Matrix* B, float* C) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= A->rows || column >= B->columns) return;  // <- here
    float sum = 0.0f;
    for (int k = 0; k < A->columns; k++) sum += A->data[row * A->columns + k] * B->data[k * B->columns + column];
    C[row * B->columns + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    Matrix a{A, M, N}, b{B, N, K};
    multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(&a, &b, C);
}
