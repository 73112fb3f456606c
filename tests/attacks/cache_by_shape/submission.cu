// expect: wrong_answer
// problem: reduce
// timed: N=1000
// row: 2
//
// Remembers one sum for each N: a second input of the same length gets the sum of the first.
// Each length comes twice, with other elements.

__device__ float saved[4096];
__device__ bool known[4096];

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ double sum;
    int slot = N % 4096;
    if (blockIdx.x != 0) return;
    if (threadIdx.x == 0) sum = 0.0;
    __syncthreads();
    if (!known[slot]) {
        double mine = 0.0;
        for (int i = threadIdx.x; i < N; i += blockDim.x) mine += input[i];
        atomicAdd(&sum, mine);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (!known[slot]) {
        saved[slot] = (float)sum;
        known[slot] = true;
    }
    output[0] = saved[slot];
}
