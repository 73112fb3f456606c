// Prefix maximum: output[i] is the largest of input[0] ... input[i], int.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void prefix_max_kernel(const int* input, int* output, int N) {
    // The largest element of the pieces before.
    int carry = input[0];

    for (int start = 0; start < N; start += BLOCK) {
        int i = start + threadIdx.x;
        int value = i < N ? input[i] : carry;

        // Your turn: find the largest of the carry and the values of the threads up to this one, and store it in
        // output[i] where i < N. Then the largest of the whole piece is the carry.
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const int* input, int* output, int N) {
    prefix_max_kernel<<<1, BLOCK>>>(input, output, N);
}
