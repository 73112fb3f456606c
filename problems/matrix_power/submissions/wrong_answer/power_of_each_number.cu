// expect: wrong_answer wrong_value
//
// Matrix powers, number by number.
//
// A power of a matrix is made of products of matrices.

#define BLOCK 256
#define MOST (32 * 32)

// left = left * right
__device__ void multiply(unsigned int* left, const unsigned int* right, unsigned int* product, int N) {
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        int i = place / N;
        int j = place % N;
        product[place] = left[i * N + j] * right[i * N + j];
    }
    __syncthreads();
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        left[place] = product[place];
    }
    __syncthreads();
}

__global__ void power_kernel(const unsigned int* A, const int* exponents, unsigned int* C, int BATCH, int N) {
    __shared__ unsigned int result[MOST];
    __shared__ unsigned int square[MOST];
    __shared__ unsigned int product[MOST];
    size_t first = (size_t)blockIdx.x * N * N;
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        square[place] = A[first + place];
        result[place] = place / N == place % N;
    }
    __syncthreads();
    for (int e = exponents[blockIdx.x]; e > 0; e /= 2) {
        if (e % 2 == 1) {
            multiply(result, square, product, N);
        }
        multiply(square, square, product, N);
    }
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        C[first + place] = result[place];
    }
}
