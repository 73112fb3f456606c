// expect: runtime_error data_race
//
// Attention that overwrites its tile too early.
//
// Other warps may still be computing scores from it.

#define WARPS 8
#define MOST 128
#define WORDS 32

__global__ void attention_kernel(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
                                 float* __restrict__ output, int N, int D, int causal) {
    __shared__ float keys[WORDS][MOST + 1];
    __shared__ float queries[WARPS][MOST];
    int lane = threadIdx.x;
    int warp = threadIdx.y;
    int row = blockIdx.x * WARPS + warp;
    int last = causal ? min(N, (int)(blockIdx.x + 1) * WARPS) : N;
    int seen = row >= N ? 0 : causal ? row + 1 : N;
    float root = sqrtf((float)D);
    float mean[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    float largest = -INFINITY;
    float sum = 0.0f;
    for (int d = lane; d < D; d += 32) {
        queries[warp][d] = row < N ? Q[row * D + d] : 0.0f;
    }
    for (int first = 0; first < last; first += WORDS) {
        int words = min(WORDS, N - first);
        for (int k = warp * 32 + lane; k < words * D; k += WARPS * 32) {
            keys[k / D][k % D] = K[first * D + k];
        }
        __syncthreads();
        int mine = first + lane;
        float score = -INFINITY;
        if (mine < seen) {
            score = 0.0f;
            for (int d = 0; d < D; d++) {
                score += queries[warp][d] * keys[lane][d];
            }
            score /= root;
        }
        float larger = fmaxf(largest, score);
        for (int distance = 16; distance > 0; distance /= 2) {
            larger = fmaxf(larger, __shfl_xor_sync(0xffffffff, larger, distance));
        }
        if (larger > -INFINITY) {
            float correction = expf(largest - larger);
            float weight = expf(score - larger);
            float together = weight;
            for (int distance = 16; distance > 0; distance /= 2) {
                together += __shfl_xor_sync(0xffffffff, together, distance);
            }
            sum = sum * correction + together;
#pragma unroll
            for (int part = 0; part < 4; part++) {
                mean[part] *= correction;
            }
            for (int j = 0; j < words; j++) {
                float p = __shfl_sync(0xffffffff, weight, j);
#pragma unroll
                for (int part = 0; part < 4; part++) {
                    int d = part * 32 + lane;
                    mean[part] += d < D ? p * V[(first + j) * D + d] : 0.0f;
                }
            }
            largest = larger;
        }
    }
#pragma unroll
    for (int part = 0; part < 4; part++) {
        int d = part * 32 + lane;
        if (row < N && d < D) {
            output[row * D + d] = mean[part] / sum;
        }
    }
}
