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
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    int slot = N % 4096;
    if (!known[slot]) {
        double sum = 0.0;
        for (int i = 0; i < N; ++i) sum += input[i];
        saved[slot] = (float)sum;
        known[slot] = true;
    }
    output[0] = saved[slot];
}
