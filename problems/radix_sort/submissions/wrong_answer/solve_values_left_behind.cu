// expect: wrong_answer wrong_value
//
// Radix sort of the keys alone.
//
// The values have to go where their keys go, in every pass.

#include <cuda_runtime.h>

#define BLOCK 256
#define DIGITS 16

__global__ void move(const unsigned int* keys, const int* values, unsigned int* moved_keys, int* moved_values, int N,
                     int shift) {
    __shared__ int places[DIGITS * BLOCK];
    int t = threadIdx.x;
    int each = (N + BLOCK - 1) / BLOCK;
    int first = min(t * each, N);
    int end = min(first + each, N);

    for (int d = 0; d < DIGITS; d++) {
        places[d * BLOCK + t] = 0;
    }
    for (int i = first; i < end; i++) {
        places[(keys[i] >> shift & 15) * BLOCK + t]++;
    }
    __syncthreads();
    if (t == 0) {
        int before = 0;
        for (int k = 0; k < DIGITS * BLOCK; k++) {
            int count = places[k];
            places[k] = before;
            before += count;
        }
    }
    __syncthreads();
    for (int i = first; i < end; i++) {
        int place = places[(keys[i] >> shift & 15) * BLOCK + t]++;
        moved_keys[place] = keys[i];
        moved_values[i] = values[i];
    }
}

extern "C" void solve(const unsigned int* keys, const int* values, unsigned int* sorted_keys, int* sorted_values,
                      int N) {
    unsigned int* other_keys;
    int* other_values;
    cudaMalloc(&other_keys, N * sizeof(unsigned int));
    cudaMalloc(&other_values, N * sizeof(int));
    for (int shift = 0; shift < 32; shift += 8) {
        move<<<1, BLOCK>>>(shift == 0 ? keys : sorted_keys, shift == 0 ? values : sorted_values, other_keys,
                           other_values, N, shift);
        move<<<1, BLOCK>>>(other_keys, other_values, sorted_keys, sorted_values, N, shift + 4);
    }
    cudaFree(other_keys);
    cudaFree(other_values);
}
