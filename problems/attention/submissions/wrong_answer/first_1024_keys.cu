// expect: wrong_answer wrong_value
//
// Attention to the first 1,024 keys.
//
// Later rows, and without a mask all rows of a longer sequence, see more.

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* output, int N, int D,
                                 int causal) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= N) {
        return;
    }
    float root = sqrtf((float)D);
    float q[4];
    float mean[4];
#pragma unroll
    for (int part = 0; part < 4; part++) {
        int d = part * 32 + lane;
        q[part] = d < D ? Q[row * D + d] : 0.0f;
        mean[part] = 0.0f;
    }
    float largest = -INFINITY;
    float sum = 0.0f;
    int seen = min(causal ? row + 1 : N, 1024);
    for (int j = 0; j < seen; j++) {
        float score = 0.0f;
#pragma unroll
        for (int part = 0; part < 4; part++) {
            int d = part * 32 + lane;
            score += d < D ? q[part] * K[j * D + d] : 0.0f;
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            score += __shfl_xor_sync(0xffffffff, score, distance);
        }
        score /= root;
        float larger = fmaxf(largest, score);
        float correction = expf(largest - larger);
        float weight = expf(score - larger);
        sum = sum * correction + weight;
#pragma unroll
        for (int part = 0; part < 4; part++) {
            int d = part * 32 + lane;
            mean[part] = mean[part] * correction + (d < D ? weight * V[j * D + d] : 0.0f);
        }
        largest = larger;
    }
#pragma unroll
    for (int part = 0; part < 4; part++) {
        int d = part * 32 + lane;
        if (d < D) {
            output[row * D + d] = mean[part] / sum;
        }
    }
}
