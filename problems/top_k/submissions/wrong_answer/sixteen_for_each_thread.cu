// expect: wrong_answer wrong_value
//
// Top-k with a list of sixteen for each thread of a block.
//
// Among random elements no thread of 256 has more than sixteen of the 32 largest. But it may have all of them.

#define BLOCK 256

constexpr int LENGTH = 16;

__global__ void top_k_kernel(const float* input, float* output, int M, int N, int K) {
    __shared__ float largest[BLOCK];
    __shared__ int owner;
    const float* row = input + (size_t)blockIdx.x * N;
    float best[LENGTH];
    for (int place = 0; place < LENGTH; ++place) {
        best[place] = -INFINITY;
    }
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        float x = row[i];
        for (int place = 0; place < LENGTH; ++place) {
            float larger = fmaxf(best[place], x);
            x = fminf(best[place], x);
            best[place] = larger;
        }
    }
    for (int k = 0; k < K; ++k) {
        largest[threadIdx.x] = best[0];
        __syncthreads();
        if (threadIdx.x == 0) {
            owner = 0;
            for (int thread = 1; thread < BLOCK; ++thread) {
                owner = largest[thread] > largest[owner] ? thread : owner;
            }
            output[(size_t)blockIdx.x * K + k] = largest[owner];
        }
        __syncthreads();
        if (threadIdx.x == owner) {
            for (int place = 0; place + 1 < LENGTH; ++place) {
                best[place] = best[place + 1];
            }
            best[LENGTH - 1] = -INFINITY;
        }
    }
}
