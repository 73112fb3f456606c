// Beam search, one step: of the B * V continuations of each of S sentences, the B with the largest scores[s][b] +
// steps[s][b][v], the largest first; of equal ones the lower beam, then the lower token, first.
//
// The kernel gets one block of BLOCK threads for each sentence. You may change the number: any constant expression up
// to 1024.
#define BLOCK 256

__global__ void beam_step_kernel(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens,
                                 int S, int B, int V) {
    int s = blockIdx.x;
    for (int k = 0; k < B; k++) {
        // Your turn: which continuation is the best of those that come after the last one found?
        if (threadIdx.x == 0) {
            new_scores[s * B + k] = scores[s * B + k];
            parents[s * B + k] = k;
            tokens[s * B + k] = 0;
        }
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens, int S,
                      int B, int V) {
    beam_step_kernel<<<S, BLOCK>>>(scores, steps, new_scores, parents, tokens, S, B, V);
}
