// expect: runtime_error
//
// COO to CSR that keeps the rows of a piece in 8 bits each.
//
// Rows that lie 256 apart are taken for one: ranks have gaps, and places are given twice.

#define BLOCK 256

__global__ void coo_to_csr_kernel(const int* rows, const int* columns, const float* values, int* offsets,
                                  int* sorted_columns, float* sorted_values, int M, int N, int NNZ) {
    __shared__ int piece[BLOCK];
    __shared__ unsigned char short_rows[BLOCK];
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

    for (int start = 0; start < NNZ; start += BLOCK) {
        int i = start + t;
        int row = i < NNZ ? rows[i] : -1;
        short_rows[t] = row;
        __syncthreads();
        int before = 0;
        int behind = 0;
        for (int k = 0; k < BLOCK; k++) {
            int equal = short_rows[k] == (row & 0xff);
            before += k < t ? equal : 0;
            behind += k > t ? equal : 0;
        }
        int place = 0;
        if (i < NNZ) {
            place = offsets[row + 1] + before;
            sorted_columns[place] = columns[i];
            sorted_values[place] = values[i];
        }
        // All have read the place of their row before it moves on.
        __syncthreads();
        if (i < NNZ && behind == 0) {
            offsets[row + 1] = place + 1;
        }
    }
}
