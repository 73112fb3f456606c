// expect: wrong_answer wrong_value
//
// Key-value cache without a ring.
//
// The new tokens follow the old ones. When the cache is full, the ring begins again; here they are dropped.

__global__ void kv_cache_kernel(const int* lengths, const float* new_keys, const float* new_values,
                                const float* old_keys, const float* old_values, float* keys, float* values, int B,
                                int T, int H, int S, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * H * S * D) {
        int d = i % D;
        int s = i / D % S;
        int h = i / D / S % H;
        int b = i / D / S / H;
        int t = s - lengths[b];
        if (t >= 0 && t < T) {
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
