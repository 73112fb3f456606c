// expect: wrong_answer wrong_value
//
// Top-k with a list of eight for each lane of a warp.
//
// Among random elements hardly any lane has more than eight of the 32 largest. But it may have all of them.

#define BLOCK 32

constexpr int LENGTH = 8;

__global__ void top_k_kernel(const float* input, float* output, int M, int N, int K) {
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
        float largest = best[0];
        for (int distance = 16; distance > 0; distance /= 2) {
            largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
        }
        unsigned owners = __ballot_sync(0xffffffff, best[0] == largest);
        if (threadIdx.x == __ffs(owners) - 1) {
            output[(size_t)blockIdx.x * K + k] = largest;
            for (int place = 0; place + 1 < LENGTH; ++place) {
                best[place] = best[place + 1];
            }
            best[LENGTH - 1] = -INFINITY;
        }
    }
}
