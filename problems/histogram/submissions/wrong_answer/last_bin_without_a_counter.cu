// expect: wrong_answer wrong_value
//
// Histogram whose blocks have a counter too few.
//
// 4096 bins are numbered from 0 to 4095. What is in the last one is left out.

#define MOST 4095

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    __shared__ int counters[MOST];
    for (int b = threadIdx.x; b < min(BINS, MOST); b += blockDim.x) {
        counters[b] = 0;
    }
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        if (input[i] < MOST) {
            atomicAdd(&counters[input[i]], 1);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < min(BINS, MOST); b += blockDim.x) {
        if (counters[b] > 0) {
            atomicAdd(&histogram[b], counters[b]);
        }
    }
}
