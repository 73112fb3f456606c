// Merge sort: keys from small to large, equal ones in their order, and the place where each key came from.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void merge_sort_kernel(const int* keys, int* sorted_keys, int* places, int N) {
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        sorted_keys[i] = keys[i];
        places[i] = i;
    }

    // Your turn. Runs of 1, 2, 4, ... keys are in order; each level merges two and two of them.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// allocate more of it by cudaMalloc, and launch a kernel for each level.
extern "C" void solve(const int* keys, int* sorted_keys, int* places, int N) {
    merge_sort_kernel<<<1, BLOCK>>>(keys, sorted_keys, places, N);
}
