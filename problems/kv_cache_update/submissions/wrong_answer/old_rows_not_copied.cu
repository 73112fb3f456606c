// expect: wrong_answer unwritten_output
//
// Key-value cache as if it were updated in place.
//
// The rows that stay have to be written as well: the updated cache is a new array.

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
        int t = ((s - lengths[b]) % S + S) % S;
        if (t < T) {
            // The last one.
            t += (T - 1 - t) / S * S;
            int from = ((b * T + t) * H + h) * D + d;
            keys[i] = new_keys[from];
            values[i] = new_values[from];
        }
    }
}
