// expect: wrong_answer wrong_value
// problem: reduce
// row: 14, 20
//
// Sums 256 elements and scales: close, where the mean is not 0.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    if (blockIdx.x != 0) return;
    __shared__ float part[256];
    int step = N > 256 ? N / 256 : 1;
    part[threadIdx.x] = threadIdx.x * step < N ? input[threadIdx.x * step] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int k = 0; k < 256; ++k) sum += part[k];
        output[0] = sum * step;
    }
}
