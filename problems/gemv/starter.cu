// Matrix times vector: y (M) = A (M x N) * x (N), row-major, fp32.
//
// The kernel gets 32 threads for each row, in blocks of BLOCK threads. You may change the number: any constant
// expression up to 1024.
#define BLOCK 256

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    // The number of this thread among all threads, and its place: 32 threads in a row, lanes 0 to 31, share a row of A.
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    int lane = thread % 32;

    // The last block may reach beyond the matrix: those threads must not touch memory.
    if (row < M) {
        float sum = 0.0f;
        for (int j = lane; j < N; j += 32) {
            // Your turn: add up this lane's products A[row * N + j] * x[j].
        }
        // Your turn: bring the sums of the 32 lanes together, and store the result in y[row].
    }
}

// Host code: the grader calls it. A, x and y lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* A, const float* x, float* y, int M, int N) {
    int threads = 32 * M;
    gemv_kernel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(A, x, y, M, N);
}
