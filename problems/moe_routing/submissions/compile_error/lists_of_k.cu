// expect: compile_error
//
// Mixture of experts with a list whose length is known at run time.
//
// An array in a kernel needs a constant length.

#define BLOCK 256
#define MOST 8

__global__ void moe_routing_kernel(const float* logits, int* experts, float* weights, int* places, int* counts, int T,
                                   int E, int K) {
    int t = threadIdx.x;
    float best[K];  // <- here
    for (int k = 0; k < K; k++) {
        best[k] = logits[t * E + k];
        weights[t * K + k] = best[k];
    }
}
