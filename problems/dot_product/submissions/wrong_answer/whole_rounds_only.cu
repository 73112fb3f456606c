// expect: wrong_answer
//
// Dot product in whole rounds of the grid.
//
// The number of rounds is rounded down. As long as there is a thread for each element nothing is missing; one element
// more, and it is left out.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    int threads = gridDim.x * blockDim.x;
    int rounds = max(N / threads, 1);
    float sum = 0.0f;
    for (int round = 0; round < rounds; round++) {
        int i = round * threads + blockIdx.x * blockDim.x + threadIdx.x;
        if (i < N) {
            sum += a[i] * b[i];
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(output, sum);
    }
}
