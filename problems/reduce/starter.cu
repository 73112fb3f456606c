// Reduction: output[0] = the sum of all N elements of input, fp32.
//
// The grader sets output[0] to 0, and then launches at most 1024 blocks of BLOCK threads:
//
//     int blocks = (N + BLOCK - 1) / BLOCK;
//     reduction_kernel<<<min(blocks, 1024), BLOCK>>>(input, output, N);
//
// You may change the number: any constant expression up to 1024.
#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    // A long input has more elements than there are threads: each thread takes several of them, a grid's width apart.
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;

    float sum = 0.0f;
    for (int i = first; i < N; i += stride) {
        // Your turn: add up this thread's elements.
    }

    // Your turn: bring the sums of all threads together in output[0]. Many threads write to one address, so a plain
    // output[0] += sum loses most of them; look up atomicAdd.
}
