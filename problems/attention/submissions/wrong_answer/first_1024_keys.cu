// expect: wrong_answer wrong_value
//
// Attention to the first 1,024 keys.
//
// As many as a block has threads.

__device__ float score_of(const float* q, const float* k, int D) {
    float sum = 0.0f;
    for (int d = threadIdx.x; d < D; d += 32) {
        sum += q[d] * k[d];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    return sum / sqrtf((float)D);
}

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* output, int N, int D,
                                 int causal) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= N) {
        return;
    }
    const float* q = Q + row * D;
    int seen = min(causal ? row + 1 : N, 1024);
    float largest = -INFINITY;
    for (int j = 0; j < seen; j++) {
        largest = fmaxf(largest, score_of(q, K + j * D, D));
    }
    float sum = 0.0f;
    for (int j = 0; j < seen; j++) {
        sum += expf(score_of(q, K + j * D, D) - largest);
    }
    float mean[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int j = 0; j < seen; j++) {
        float p = expf(score_of(q, K + j * D, D) - largest) / sum;
#pragma unroll
        for (int part = 0; part < 4; part++) {
            int d = part * 32 + threadIdx.x;
            if (d < D) {
                mean[part] += p * V[j * D + d];
            }
        }
    }
#pragma unroll
    for (int part = 0; part < 4; part++) {
        int d = part * 32 + threadIdx.x;
        if (d < D) {
            output[row * D + d] = mean[part];
        }
    }
}
