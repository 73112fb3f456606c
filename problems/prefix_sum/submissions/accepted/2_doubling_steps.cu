// expect: accepted
//
// Prefix sum, step 2: in doubling steps in shared memory (Hillis and Steele).
//
// Added to step 1: all threads work. After the step with distance d every element holds the sum of the 2d elements
// that end in it, so that log2(BLOCK) steps do a whole piece.
//
//     values    a    b    c      d
//     d = 1     a    a+b  b+c    c+d
//     d = 2     a    a+b  a+b+c  a+b+c+d
//
// Two barriers a step: all have to have read before anyone writes, and all have to have written before anyone reads
// again.

#define BLOCK 256

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    __shared__ float scan[BLOCK];
    const float* row = input + blockIdx.x * N;
    float* sums = output + blockIdx.x * N;
    int t = threadIdx.x;
    float carry = 0.0f;

    for (int start = 0; start < N; start += BLOCK) {
        int j = start + t;
        scan[t] = j < N ? row[j] : 0.0f;
        __syncthreads();

        for (int distance = 1; distance < BLOCK; distance *= 2) {
            float left = t >= distance ? scan[t - distance] : 0.0f;
            __syncthreads();
            scan[t] += left;
            __syncthreads();
        }

        if (j < N) {
            sums[j] = carry + scan[t];
        }
        carry += scan[BLOCK - 1];
        // The next piece must not overwrite the last sum before all threads have read it.
        __syncthreads();
    }
}
