// expect: wrong_answer wrong_value
//
// Mixture of experts whose lists begin with -10,000,000,000.
//
// Where all logits are lower, none gets into the list.

#define BLOCK 256
#define MOST 8

__global__ void moe_routing_kernel(const float* logits, int* experts, float* weights, int* places, int* counts, int T,
                                   int E, int K) {
    __shared__ int chosen[BLOCK * MOST];
    int carry = 0;
    for (int start = 0; start < T; start += BLOCK) {
        int t = start + threadIdx.x;
        if (t < T) {
            float best[MOST];
            int which[MOST];
            for (int k = 0; k < MOST; k++) {
                best[k] = -1e10f;
                which[k] = 0;
            }
            for (int e = 0; e < E; e++) {
                float x = logits[(size_t)t * E + e];
                int expert = e;
                bool inserted = false;
                for (int k = 0; k < MOST; k++) {
                    if (inserted || x > best[k]) {
                        inserted = true;
                        float smaller = best[k];
                        int other = which[k];
                        best[k] = x;
                        which[k] = expert;
                        x = smaller;
                        expert = other;
                    }
                }
            }
            float sum = 0.0f;
            for (int k = 0; k < K; k++) {
                sum += expf(best[k] - best[0]);
            }
            for (int k = 0; k < K; k++) {
                experts[t * K + k] = which[k];
                weights[t * K + k] = expf(best[k] - best[0]) / sum;
                chosen[threadIdx.x * K + k] = which[k];
            }
        }
        __syncthreads();
        int choices = min(BLOCK, T - start) * K;
        if (threadIdx.x < E) {
            for (int i = 0; i < choices; i++) {
                if (chosen[i] == threadIdx.x) {
                    places[start * K + i] = carry++;
                }
            }
        }
        __syncthreads();
    }
    if (threadIdx.x < E) {
        counts[threadIdx.x] = carry;
    }
}
