// Radix sort of pairs: by key, from small to large; pairs with equal keys stay in their order.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void radix_sort_kernel(const unsigned int* keys, const int* values, unsigned int* sorted_keys,
                                  int* sorted_values, int N) {
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        sorted_keys[i] = keys[i];
        sorted_values[i] = values[i];
    }

    // Your turn. A pass over a digit moves pairs from one pair of arrays to another, so that sorting by digits takes a
    // second pair: see solve().
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// allocate more of it by cudaMalloc, and launch a kernel for each digit, such as (key >> shift) & 15 for shift = 0, 4,
// 8, ... 28.
extern "C" void solve(const unsigned int* keys, const int* values, unsigned int* sorted_keys, int* sorted_values,
                      int N) {
    radix_sort_kernel<<<1, BLOCK>>>(keys, values, sorted_keys, sorted_values, N);
}
