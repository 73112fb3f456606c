// Real fast Fourier transform: each row of N = 2^LOG real numbers to N / 2 + 1 complex ones, parts in turn, fp32.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void rfft_kernel(const float* input, float* output, int ROWS, int LOG) {
    int N = 1 << LOG;
    const float* numbers = input + (size_t)blockIdx.x * N;
    float* transformed = output + (size_t)blockIdx.x * (N + 2);

    // Your turn: transformed[2 * k] and transformed[2 * k + 1], for k from 0 to N / 2, are the sum over all n of
    // numbers[n], times cos(2 * pi * k * n / N) - i sin(2 * pi * k * n / N).
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// allocate more of it by cudaMalloc, and launch several kernels.
extern "C" void solve(const float* input, float* output, int ROWS, int LOG) {
    rfft_kernel<<<ROWS, BLOCK>>>(input, output, ROWS, LOG);
}
