// Rotary embedding: each pair (i, i + HALF) of a head's elements is turned by the angle of the token's position.
// T tokens of HEADS heads of 2 * HALF elements, fp32; tables of cosines and sines for LENGTH positions.
//
// The kernel gets one thread for each pair, in blocks of BLOCK threads. You may change the number: any constant
// expression up to 1024.
#define BLOCK 256

__global__ void rope_kernel(const float* input, const float* cosines, const float* sines, const int* positions,
                            float* output, int T, int HEADS, int HALF, int LENGTH) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;

    // The grid is rounded up to whole blocks: the last threads have no pair and must not touch memory.
    if (pair < T * HEADS * HALF) {
        int i = pair % HALF;
        int head = pair / HALF;  // token * HEADS + head
        size_t first = (size_t)head * 2 * HALF + i;
        // Your turn: find the token and its position, and turn the pair by the cosine and the sine.
        output[first] = input[first];
        output[first + HALF] = input[first + HALF];
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* cosines, const float* sines, const int* positions, float* output,
                      int T, int HEADS, int HALF, int LENGTH) {
    int blocks = (T * HEADS * HALF + BLOCK - 1) / BLOCK;
    rope_kernel<<<blocks, BLOCK>>>(input, cosines, sines, positions, output, T, HEADS, HALF, LENGTH);
}
