// LU: the factors of A with N + 1 added to its diagonal. LU is U on and above the diagonal, and L below it, whose own
// diagonal holds ones that are not stored.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void lu_kernel(const float* A, float* LU, int N) {
    for (int place = threadIdx.x; place < N * N; place += blockDim.x) {
        LU[place] = place / N == place % N ? A[place] + N + 1 : A[place];
    }
    __syncthreads();

    // Your turn: for each k, divide column k below the diagonal by LU[k][k], and subtract its product with row k from
    // everything right of and below it. Who has to wait for whom?
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch kernels for each group of columns instead.
extern "C" void solve(const float* A, float* LU, int N) {
    lu_kernel<<<1, BLOCK>>>(A, LU, N);
}
