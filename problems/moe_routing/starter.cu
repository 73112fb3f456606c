// Mixture of experts, routing: the K experts with the largest logits of each of T tokens, of equal ones the lower
// first; the softmax over these K; how many earlier tokens have chosen the same expert; and how often each is chosen.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 256
constexpr int MOST = 8;  // choices of a token

__global__ void moe_routing_kernel(const float* logits, int* experts, float* weights, int* places, int* counts, int T,
                                   int E, int K) {
    for (int start = 0; start < T; start += BLOCK) {
        int t = start + threadIdx.x;
        if (t < T) {
            // Your turn: the K best experts of token t, and their weights.
        }
        // Then their places: who of the tokens before has chosen the same expert? Those of earlier pieces count too.
    }
    // At the end one thread for each expert stores its count.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const float* logits, int* experts, float* weights, int* places, int* counts, int T, int E,
                      int K) {
    moe_routing_kernel<<<1, BLOCK>>>(logits, experts, weights, places, counts, T, E, K);
}
