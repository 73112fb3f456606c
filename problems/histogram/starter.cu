// Histogram: histogram[b] is the number of elements of input that are equal to b. N ints from 0 to BINS - 1.
//
// histogram is set to zeros, and then the kernel gets at most 1024 blocks of BLOCK threads. You may change the number:
// any constant expression up to 1024.
#define BLOCK 256

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    // A long input has more elements than there are threads: each thread takes several of them, a grid's width apart.
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        // Your turn: count this element. Many threads may want to add to one counter, and a plain histogram[b] += 1
        // loses most of these additions; look up atomicAdd.
    }
}

// Host code: the grader calls it. input and histogram lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* input, int* histogram, int N, int BINS) {
    cudaMemset(histogram, 0, BINS * sizeof(int));
    int blocks = (N + BLOCK - 1) / BLOCK;
    histogram_kernel<<<blocks < 1024 ? blocks : 1024, BLOCK>>>(input, histogram, N, BINS);
}
