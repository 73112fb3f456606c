// COO to CSR: the entries of a sparse matrix, listed in any order, brought row after row; entries of one row stay in
// their order.
//
// The kernel gets one block of BLOCK threads, and offsets full of zeros. You may change the number: any constant
// expression up to 1024.
#include <cuda_runtime.h>

#define BLOCK 1024

__global__ void coo_to_csr_kernel(const int* rows, const int* columns, const float* values, int* offsets,
                                  int* sorted_columns, float* sorted_values, int M, int N, int NNZ) {
    for (int i = threadIdx.x; i < NNZ; i += BLOCK) {
        atomicAdd(&offsets[rows[i] + 1], 1);
    }
    __syncthreads();

    // Your turn: turn the counts into running totals. Then go through the entries again, BLOCK at a time, and move each
    // to its place: where its row begins, plus how many entries of that row came before.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// allocate more of it by cudaMalloc, and launch several kernels with many blocks instead.
extern "C" void solve(const int* rows, const int* columns, const float* values, int* offsets, int* sorted_columns,
                      float* sorted_values, int M, int N, int NNZ) {
    cudaMemset(offsets, 0, (M + 1) * sizeof(int));
    coo_to_csr_kernel<<<1, BLOCK>>>(rows, columns, values, offsets, sorted_columns, sorted_values, M, N, NNZ);
}
