// expect: wrong_answer wrong_value
//
// Beam search that takes +0 for more than -0.
//
// The two are equal, and the one that comes first is the better continuation.

#define BLOCK 256

typedef unsigned long long Key;

// A number that is the larger, the better the continuation: its score's bits, made to compare as unsigned numbers do,
// and below them the complement of its place.
__device__ __forceinline__ Key key_of(float score, unsigned place) {
    unsigned bits = __float_as_uint(score);
    bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
    return (Key)bits << 32 | ~place;
}

__device__ __forceinline__ float score_of(Key key) {
    unsigned bits = key >> 32;
    return __uint_as_float(bits ^ (bits >> 31 ? 0x80000000u : 0xffffffffu));
}

__global__ void beam_step_kernel(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens,
                                 int S, int B, int V) {
    __shared__ Key best[BLOCK];
    int s = blockIdx.x;
    Key last = ~0ull;
    for (int k = 0; k < B; k++) {
        Key mine = 0;
        for (int c = threadIdx.x; c < B * V; c += BLOCK) {
            float score = scores[s * B + c / V] + steps[(size_t)s * B * V + c];
            Key key = key_of(score, c);
            if (key < last && key > mine) {
                mine = key;
            }
        }
        best[threadIdx.x] = mine;
        __syncthreads();
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + half]);
            }
            __syncthreads();
        }
        last = best[0];
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned place = ~(unsigned)last;
            new_scores[s * B + k] = score_of(last);
            parents[s * B + k] = place / V;
            tokens[s * B + k] = place % V;
        }
    }
}
