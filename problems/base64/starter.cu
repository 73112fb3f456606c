// Base64: four letters for each three bytes.
//
// The kernel gets a thread for each group of three bytes, in blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void base64_kernel(const unsigned char* input, unsigned char* output, int N) {
    int group = blockIdx.x * BLOCK + threadIdx.x;
    if (3 * group < N) {
        // Your turn: put the bytes 3 * group, 3 * group + 1 and 3 * group + 2 together, as far as they are there, and
        // write the letters 4 * group to 4 * group + 3.
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const unsigned char* input, unsigned char* output, int N) {
    int groups = (N + 2) / 3;
    base64_kernel<<<(groups + BLOCK - 1) / BLOCK, BLOCK>>>(input, output, N);
}
