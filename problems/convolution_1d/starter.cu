// 1D convolution: output[i] = sum of weights[j] * input[i + j - K / 2] over the K weights, with zeros beyond both ends.
//
// The kernel gets at least one thread for each of the N elements of output, in blocks of BLOCK threads. You may
// change the number: any constant expression up to 1024.
#define BLOCK 256

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    // The number of this thread among all threads of the grid.
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The last block may reach beyond the arrays: those threads must not touch memory.
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            // Your turn: add weights[j] times the element that it meets, if there is one.
        }
        // Your turn: store the sum.
    }
}

// Host code: the grader calls it. All arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* weights, float* output, int N, int K) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    convolution_kernel<<<blocks, BLOCK>>>(input, weights, output, N, K);
}
