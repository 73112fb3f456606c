// Zip: output[i] = a[i] + b[i] for each of N elements, fp32.
//
// The kernel gets at least one thread for each element, in blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    // The number of this thread among all threads of the grid.
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The last block may reach beyond the arrays: those threads must not touch memory.
    if (i < N) {
        // Your turn: store the sum of a[i] and b[i] in output[i].
    }
}

// Host code: the grader calls it. a, b and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    zip_kernel<<<blocks, BLOCK>>>(a, b, output, N);
}
