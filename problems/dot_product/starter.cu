// Dot product: output[0] = the sum of a[i] * b[i] over all N elements, fp32.
//
// output[0] is set to 0, and then the kernel gets at most 1024 blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    // Long vectors have more elements than there are threads: each thread takes several, a grid's width apart.
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;

    float sum = 0.0f;
    for (int i = first; i < N; i += stride) {
        // Your turn: add up this thread's products.
    }

    // Your turn: bring the sums of all threads together in output[0]. Many threads write to one address, so a plain
    // output[0] += sum loses most of them; look up atomicAdd.
}

// Host code: the grader calls it. a, b and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaMemset(output, 0, sizeof(float));
    int blocks = (N + BLOCK - 1) / BLOCK;
    dot_product_kernel<<<blocks < 1024 ? blocks : 1024, BLOCK>>>(a, b, output, N);
}
