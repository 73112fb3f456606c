// expect: accepted
//
// Attention backward, step 1: a warp a row, by definition.
//
// A score and a change are dot products: each lane multiplies every 32nd column, and shuffles add up, so that all lanes
// know them. Four loops over the words: the largest score, the sum, the mean of the changes, the gradients. Every score
// is computed four times, every change twice. What a row adds to dK and dV goes there by atomics, 2 D for each pair.

#define MOST 64

__device__ float dot(const float* a, const float* b, int D) {
    float sum = 0.0f;
    for (int d = threadIdx.x; d < D; d += 32) {
        sum += a[d] * b[d];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    return sum;
}

__global__ void attention_backward_kernel(const float* Q, const float* K, const float* V, const float* upstream,
                                          float* dQ, float* dK, float* dV, int H, int N, int D, int causal) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= N) {
        return;
    }
    size_t head = (size_t)blockIdx.y * N * D;
    const float* q = Q + head + row * D;
    const float* up = upstream + head + row * D;
    float root = sqrtf((float)D);
    int seen = causal ? row + 1 : N;
    float largest = -INFINITY;
    for (int j = 0; j < seen; j++) {
        largest = fmaxf(largest, dot(q, K + head + j * D, D) / root);
    }
    float sum = 0.0f;
    for (int j = 0; j < seen; j++) {
        sum += expf(dot(q, K + head + j * D, D) / root - largest);
    }
    float mean = 0.0f;
    for (int j = 0; j < seen; j++) {
        float p = expf(dot(q, K + head + j * D, D) / root - largest) / sum;
        mean += p * dot(up, V + head + j * D, D);
    }
    float gradient[MOST / 32] = {};
    for (int j = 0; j < seen; j++) {
        float p = expf(dot(q, K + head + j * D, D) / root - largest) / sum;
        float change = dot(up, V + head + j * D, D);
        float of_score = p * (change - mean) / root;
#pragma unroll
        for (int part = 0; part < MOST / 32; part++) {
            int d = part * 32 + threadIdx.x;
            if (d < D) {
                gradient[part] += of_score * K[head + j * D + d];
                atomicAdd(&dK[head + j * D + d], of_score * q[d]);
                atomicAdd(&dV[head + j * D + d], p * up[d]);
            }
        }
    }
#pragma unroll
    for (int part = 0; part < MOST / 32; part++) {
        int d = part * 32 + threadIdx.x;
        if (d < D) {
            dQ[head + row * D + d] = gradient[part];
        }
    }
}
