// Radix sort of pairs: by key, from small to large; pairs with equal keys stay in their order.
#include <cuda_runtime.h>

#define BLOCK 256

// One pass: moves the pairs such that those with digit 0 come first, then those with digit 1, and so on. The digit of a
// key is (key >> shift) & 15.
__global__ void radix_sort_kernel(const unsigned int* keys, const int* values, unsigned int* sorted_keys,
                                  int* sorted_values, int N, int shift) {
    // Your turn: where does each pair go?
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const unsigned int* keys, const int* values, unsigned int* sorted_keys, int* sorted_values,
                      int N) {
    unsigned int* other_keys;
    int* other_values;
    cudaMalloc(&other_keys, N * sizeof(unsigned int));
    cudaMalloc(&other_values, N * sizeof(int));
    // An even number of passes, from the input to the other arrays, from there to the output and back: the last one
    // ends in the output.
    for (int shift = 0; shift < 32; shift += 8) {
        radix_sort_kernel<<<1, BLOCK>>>(shift == 0 ? keys : sorted_keys, shift == 0 ? values : sorted_values,
                                        other_keys, other_values, N, shift);
        radix_sort_kernel<<<1, BLOCK>>>(other_keys, other_values, sorted_keys, sorted_values, N, shift + 4);
    }
    cudaFree(other_keys);
    cudaFree(other_values);
}
