// problem: matmul
// expect: accepted
// sizes: M=1,N=1,K=1 M=20,N=33,K=17
//
// Matrices as structs, passed by value: an address and its sizes in one argument, beside a char that moves the rest.

struct Matrix {
    const float* data;
    int rows, columns;
    __device__ float at(int row, int column) const { return data[row * columns + column]; }
};

__global__ void multiply(char order, Matrix A, Matrix B, float* C) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (order != 'r' || row >= A.rows || column >= B.columns) return;
    float sum = 0.0f;
    for (int k = 0; k < A.columns; k++) sum += A.at(row, k) * B.at(k, column);
    C[row * B.columns + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>('r', Matrix{A, M, N}, Matrix{B, N, K}, C);
}
