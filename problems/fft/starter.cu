// Fast Fourier transform: each row of N = 2^LOG complex numbers, real and imaginary parts in turn, fp32.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void fft_kernel(const float* input, float* output, int ROWS, int LOG) {
    int N = 1 << LOG;
    const float* numbers = input + (size_t)blockIdx.x * 2 * N;
    float* transformed = output + (size_t)blockIdx.x * 2 * N;

    // Your turn: transformed[2 * k] and transformed[2 * k + 1] are the sum over all n of number n, times
    // cos(2 * pi * k * n / N) - i sin(2 * pi * k * n / N).
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// allocate more of it by cudaMalloc, and launch several kernels.
extern "C" void solve(const float* input, float* output, int ROWS, int LOG) {
    fft_kernel<<<ROWS, BLOCK>>>(input, output, ROWS, LOG);
}
