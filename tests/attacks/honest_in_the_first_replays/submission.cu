// expect: wrong_answer wrong_value
// problem: map
// needs: gpu
// timed: N=1000000
// row: 3, 4
//
// Counts for each output array how often it was there. The first 16 times the work is done; an array that comes again
// after that is one of those that take turns while a graph is replayed, and is left as it is.

#define SLOTS 4096
__device__ unsigned long long owners[SLOTS];
__device__ unsigned blocks[SLOTS];

__global__ void map_kernel(const float* input, float* output, int N) {
    __shared__ bool honest;
    if (threadIdx.x == 0) {
        unsigned long long own = (unsigned long long)output;
        unsigned slot = (own >> 8) * 2654435761u % SLOTS;
        for (unsigned long long seen; (seen = atomicCAS(&owners[slot], 0ull, own)) != 0 && seen != own;) {
            slot = (slot + 1) % SLOTS;
        }
        honest = atomicAdd(&blocks[slot], 1u) < 16 * gridDim.x;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && honest) output[i] = 1.0f / (1.0f + expf(-input[i]));
}
