// One step of AdamW: new weights and moments of N elements, fp32.
//
// The kernel gets one thread for each element, in blocks of BLOCK threads. You may change the number: any constant
// expression up to 1024.
#define BLOCK 256

__global__ void adam_kernel(const float* weight, const float* gradient, const float* first, const float* second,
                            float* new_weight, float* new_first, float* new_second, int N, float rate, float beta1,
                            float beta2, float epsilon, float decay, float bias1, float bias2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The grid is rounded up to whole blocks: the last threads have no element and must not touch memory.
    if (i < N) {
        // Your turn: both moments first, then the step.
        new_first[i] = first[i];
        new_second[i] = second[i];
        new_weight[i] = weight[i] - rate * gradient[i];
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* weight, const float* gradient, const float* first, const float* second,
                      float* new_weight, float* new_first, float* new_second, int N, float rate, float beta1,
                      float beta2, float epsilon, float decay, float bias1, float bias2) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    adam_kernel<<<blocks, BLOCK>>>(weight, gradient, first, second, new_weight, new_first, new_second, N, rate, beta1,
                                   beta2, epsilon, decay, bias1, bias2);
}
