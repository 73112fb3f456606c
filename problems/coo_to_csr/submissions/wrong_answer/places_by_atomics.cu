// expect: wrong_answer
//
// COO to CSR that lets atomics hand out the places.
//
// Each row has its own entries, but in the order in which threads happened to come.

#define BLOCK 256

__global__ void coo_to_csr_kernel(const int* rows, const int* columns, const float* values, int* offsets,
                                  int* sorted_columns, float* sorted_values, int M, int N, int NNZ) {
    __shared__ int piece[BLOCK];
    int t = threadIdx.x;
    for (int i = t; i < NNZ; i += BLOCK) {
        atomicAdd(&offsets[rows[i] + 1], 1);
    }
    __syncthreads();

    int carry = 0;
    for (int start = 1; start <= M; start += BLOCK) {
        int own = start + t <= M ? offsets[start + t] : 0;
        piece[t] = own;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int left = t >= distance ? piece[t - distance] : 0;
            __syncthreads();
            piece[t] += left;
            __syncthreads();
        }
        if (start + t <= M) {
            offsets[start + t] = carry + piece[t] - own;
        }
        carry += piece[BLOCK - 1];
        __syncthreads();
    }

    for (int i = t; i < NNZ; i += BLOCK) {
        int place = atomicAdd(&offsets[rows[i] + 1], 1);
        sorted_columns[place] = columns[i];
        sorted_values[place] = values[i];
    }
}
