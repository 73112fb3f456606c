// SwiGLU: output[i] = gate[i] / (1 + exp(-gate[i])) * value[i] for each of N elements, fp32.
//
// The kernel gets at least one thread for each element, in blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    // The number of this thread among all threads of the grid.
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The last block may reach beyond the arrays: those threads must not touch memory.
    if (i < N) {
        // Your turn: compute output[i] from gate[i] and value[i]. expf is the exponential function for floats.
    }
}

// Host code: the grader calls it. gate, value and output lie in the GPU's memory: only kernels can read and write them.
extern "C" void solve(const float* gate, const float* value, float* output, int N) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    swiglu_kernel<<<blocks, BLOCK>>>(gate, value, output, N);
}
