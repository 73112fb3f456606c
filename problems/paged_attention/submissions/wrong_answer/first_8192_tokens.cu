// expect: wrong_answer wrong_value
//
// Paged attention to the first 8,192 tokens of a sequence.
//
// A table of 2,048 pages has four times as many.

#define BLOCK 128
#define PAGE 16

__global__ void paged_attention_kernel(const float* queries, const float* keys, const float* values, const int* table,
                                       const int* lengths, float* output, int S, int H, int D, int T, int P) {
    __shared__ float query[BLOCK];
    __shared__ float p[BLOCK];
    __shared__ float parts[BLOCK];
    int h = blockIdx.x;
    int s = blockIdx.y;
    int t = threadIdx.x;
    int length = min(lengths[s], 8192);
    float root = sqrtf((float)D);
    query[t] = t < D ? queries[((size_t)s * H + h) * D + t] : 0.0f;
    __syncthreads();

    float largest = -INFINITY;
    float sum = 0.0f;
    float mean = 0.0f;  // column t of the output, times the sum
    for (int start = 0; start < length; start += BLOCK) {
        int j = start + t;
        float score = -INFINITY;
        if (j < length) {
            size_t row = ((size_t)table[s * T + j / PAGE] * PAGE + j % PAGE) * H + h;
            score = 0.0f;
            for (int d = 0; d < D; d++) {
                score += query[d] * keys[row * D + d];
            }
            score /= root;
        }
        parts[t] = score;
        __syncthreads();
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            if (t < half) {
                parts[t] = fmaxf(parts[t], parts[t + half]);
            }
            __syncthreads();
        }
        float larger = fmaxf(largest, parts[0]);
        p[t] = expf(score - larger);
        __syncthreads();
        float correction = expf(largest - larger);
        largest = larger;
        sum *= correction;
        mean *= correction;
        for (int k = 0; k < min(BLOCK, length - start); k++) {
            sum += p[k];
            if (t < D) {
                int token = start + k;
                size_t row = ((size_t)table[s * T + token / PAGE] * PAGE + token % PAGE) * H + h;
                mean += p[k] * values[row * D + t];
            }
        }
    }
    if (t < D) {
        output[((size_t)s * H + h) * D + t] = mean / sum;
    }
}
