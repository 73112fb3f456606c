// GELU: output[i] = gelu(input[i]), for each of N elements, fp32.
//
// The kernel gets at least one thread for each element, in blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__device__ float gelu(float x) {
    float z = 0.7978845608f * (x + 0.044715f * x * x * x);
    // Your turn: of the two formulas in the statement, take the one that stays accurate for negative x.
    return z;
}

__global__ void gelu_kernel(const float* input, float* output, int N) {
    // The number of this thread among all threads of the grid.
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The last block may reach beyond the arrays: those threads must not touch memory.
    if (i < N) {
        output[i] = gelu(input[i]);
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int N) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    gelu_kernel<<<blocks, BLOCK>>>(input, output, N);
}
