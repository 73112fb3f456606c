// expect: accepted
//
// Matrix powers, step 2: both products of a bit at once.
//
// Added to step 1: the power and the square are multiplied by the same matrix, so that its numbers are read once for
// both. Products stay in registers until everybody has read, and no copy is needed. Two barriers where there were
// three, and three reads for two products instead of four.

#define BLOCK 256
#define LARGEST 32
#define EACH (LARGEST * LARGEST / BLOCK)

__global__ void __launch_bounds__(BLOCK)
    power_kernel(const unsigned int* __restrict__ A, const int* __restrict__ exponents, unsigned int* __restrict__ C,
                 int BATCH, int N) {
    __shared__ unsigned int result[LARGEST * LARGEST];
    __shared__ unsigned int square[LARGEST * LARGEST];
    size_t first = (size_t)blockIdx.x * N * N;
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        square[place] = A[first + place];
        result[place] = place / N == place % N;
    }
    __syncthreads();
    int e = exponents[blockIdx.x];
    while (e > 0) {
        bool odd = e % 2 == 1;
        e /= 2;
        unsigned int powers[EACH], squares[EACH];
#pragma unroll
        for (int own = 0; own < EACH; own++) {
            int place = own * BLOCK + threadIdx.x;
            powers[own] = 0;
            squares[own] = 0;
            if (place < N * N) {
                int i = place / N;
                int j = place % N;
                for (int k = 0; k < N; k++) {
                    unsigned int factor = square[k * N + j];
                    powers[own] += result[i * N + k] * factor;
                    squares[own] += square[i * N + k] * factor;
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int own = 0; own < EACH; own++) {
            int place = own * BLOCK + threadIdx.x;
            if (place < N * N) {
                if (odd) {
                    result[place] = powers[own];
                }
                square[place] = squares[own];
            }
        }
        __syncthreads();
    }
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        C[first + place] = result[place];
    }
}
