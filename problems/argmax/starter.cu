// Argmax: output[i] is the column of the first largest element in row i of input. M x N, fp32; M ints.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void argmax_kernel(const float* input, int* output, int M, int N) {
    const float* row = input + (size_t)blockIdx.x * N;

    // Each thread takes every BLOCK-th element of the row.
    float largest = -INFINITY;
    int place = N;
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        // Your turn: keep the largest element that this thread has seen, and its place.
    }

    // Your turn: bring the threads' pairs together. Of equal elements the one with the smaller place wins.
    if (threadIdx.x == 0) {
        output[blockIdx.x] = place;
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, int* output, int M, int N) {
    argmax_kernel<<<M, BLOCK>>>(input, output, M, N);
}
