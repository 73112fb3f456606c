// expect: wrong_answer wrong_value
//
// Beam search that adds in double precision.
//
// More digits are not more right here: scores are fp32 sums, and those that are equal then are ordered by place.

#define BLOCK 256

__global__ void beam_step_kernel(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens,
                                 int S, int B, int V) {
    __shared__ double best[BLOCK];
    __shared__ int places[BLOCK];
    int s = blockIdx.x;
    int t = threadIdx.x;
    double last = INFINITY;
    int last_place = -1;
    for (int k = 0; k < B; k++) {
        double mine = -INFINITY;
        int place = B * V;
        for (int c = t; c < B * V; c += BLOCK) {
            double score = (double)scores[s * B + c / V] + steps[(size_t)s * B * V + c];
            bool after = score < last || (score == last && c > last_place);
            if (after && (score > mine || place == B * V)) {
                mine = score;
                place = c;
            }
        }
        best[t] = mine;
        places[t] = place;
        __syncthreads();
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            if (t < half) {
                bool better = best[t + half] > best[t] || (best[t + half] == best[t] && places[t + half] < places[t]);
                if (better) {
                    best[t] = best[t + half];
                    places[t] = places[t + half];
                }
            }
            __syncthreads();
        }
        last = best[0];
        last_place = places[0];
        __syncthreads();
        if (t == 0) {
            new_scores[s * B + k] = last;
            parents[s * B + k] = last_place / V;
            tokens[s * B + k] = last_place % V;
        }
    }
}
