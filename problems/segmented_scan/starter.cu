// Segmented scan: running totals that start again at each i with heads[i] = 1, int.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void segmented_scan_kernel(const int* input, const int* heads, int* output, int N) {
    // The running total at the end of the piece before.
    int carry = 0;

    for (int start = 0; start < N; start += BLOCK) {
        int i = start + threadIdx.x;
        int value = i < N ? input[i] : 0;
        int head = i < N ? heads[i] : 0;

        // Your turn: add up the values from the last head up to this thread, or the carry and all values up to this
        // thread if there is no head among them, and store the sum in output[i] where i < N. What is the new carry?
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const int* input, const int* heads, int* output, int N) {
    segmented_scan_kernel<<<1, BLOCK>>>(input, heads, output, N);
}
