// expect: wrong_answer wrong_value
//
// Key-value cache that counts tokens from one.
//
// The first new token has number lengths[b], because the first of all has number 0.

__global__ void kv_cache_kernel(const int* lengths, const float* new_keys, const float* new_values,
                                const float* old_keys, const float* old_values, float* keys, float* values, int B,
                                int T, int H, int S, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * H * S * D) {
        int d = i % D;
        int s = i / D % S;
        int h = i / D / S % H;
        int b = i / D / S / H;
        // The first new token of this slot.
        int t = ((s - 1 - lengths[b]) % S + S) % S;
        if (t < T) {
            // The last one.
            t += (T - 1 - t) / S * S;
            int from = ((b * T + t) * H + h) * D + d;
            keys[i] = new_keys[from];
            values[i] = new_values[from];
        } else {
            keys[i] = old_keys[i];
            values[i] = old_values[i];
        }
    }
}
