// expect: wrong_answer wrong_value
//
// Beam search that continues each beam by its best token.
//
// The beams of a sentence compete: one may have several continuations, another none.

#define BLOCK 256

__global__ void beam_step_kernel(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens,
                                 int S, int B, int V) {
    int s = blockIdx.x;
    for (int b = threadIdx.x; b < B; b += BLOCK) {
        const float* row = steps + ((size_t)s * B + b) * V;
        int best = 0;
        for (int v = 1; v < V; v++) {
            best = row[v] > row[best] ? v : best;
        }
        new_scores[s * B + b] = scores[s * B + b] + row[best];
        parents[s * B + b] = b;
        tokens[s * B + b] = best;
    }
}
