// expect: wrong_answer wrong_value
//
// Attention backward to the first 1,024 keys.
//
// Later rows, and without a mask all rows of a longer sequence, see more.

#define WARPS 8
#define PARTS 2  // columns of a lane, for up to 64

struct Pair {
    float score;
    float change;
};

struct Row {
    float q[PARTS];
    float up[PARTS];
};

// Score and change of word j, for all lanes.
__device__ __forceinline__ Pair look_at(const Row& row, const float* __restrict__ k, const float* __restrict__ v,
                                        int D, float scale) {
    Pair pair = {0.0f, 0.0f};
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const int d = part * 32 + threadIdx.x;
        if (d < D) {
            pair.score += row.q[part] * k[d];
            pair.change += row.up[part] * v[d];
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        pair.score += __shfl_xor_sync(0xffffffff, pair.score, distance);
        pair.change += __shfl_xor_sync(0xffffffff, pair.change, distance);
    }
    pair.score *= scale;
    return pair;
}

__global__ void __launch_bounds__(32 * WARPS)
    attention_backward_kernel(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
                              const float* __restrict__ upstream, float* __restrict__ dQ, float* __restrict__ dK,
                              float* __restrict__ dV, int H, int N, int D, int causal) {
    const int i = blockIdx.x * WARPS + threadIdx.y;
    if (i >= N) {
        return;
    }
    const size_t head = (size_t)blockIdx.y * N * D;
    const float scale = 1.0f / sqrtf((float)D);
    const int seen = min(causal ? i + 1 : N, 1024);
    Row row;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const int d = part * 32 + threadIdx.x;
        row.q[part] = d < D ? Q[head + i * D + d] : 0.0f;
        row.up[part] = d < D ? upstream[head + i * D + d] : 0.0f;
    }

    float largest = -INFINITY;
    float sum = 0.0f;
    float mean = 0.0f;
    for (int j = 0; j < seen; j++) {
        const Pair pair = look_at(row, K + head + j * D, V + head + j * D, D, scale);
        const float larger = fmaxf(largest, pair.score);
        const float correction = __expf(largest - larger);
        const float weight = __expf(pair.score - larger);
        sum = sum * correction + weight;
        mean = mean * correction + weight * pair.change;
        largest = larger;
    }
    mean /= sum;

    float gradient[PARTS] = {};
    for (int j = 0; j < seen; j++) {
        const Pair pair = look_at(row, K + head + j * D, V + head + j * D, D, scale);
        const float p = __expf(pair.score - largest) / sum;
        const float of_score = p * (pair.change - mean) * scale;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const int d = part * 32 + threadIdx.x;
            if (d < D) {
                gradient[part] += of_score * K[head + j * D + d];
                atomicAdd(&dK[head + j * D + d], of_score * row.q[part]);
                atomicAdd(&dV[head + j * D + d], p * row.up[part]);
            }
        }
    }
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const int d = part * 32 + threadIdx.x;
        if (d < D) {
            dQ[head + i * D + d] = gradient[part];
        }
    }
}
