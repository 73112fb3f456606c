// Exclusive scan: output[i] = input[0] + ... + input[i - 1], int.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void exclusive_scan_kernel(const int* input, int* output, int N) {
    // The sum of all pieces that are done.
    int carry = 0;

    for (int start = 0; start < N; start += BLOCK) {
        int i = start + threadIdx.x;
        int value = i < N ? input[i] : 0;

        // Your turn: add up the values of the threads before this one, and the carry, and store the sum in output[i]
        // where i < N. Then add the sum of the whole piece to the carry.
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const int* input, int* output, int N) {
    exclusive_scan_kernel<<<1, BLOCK>>>(input, output, N);
}
