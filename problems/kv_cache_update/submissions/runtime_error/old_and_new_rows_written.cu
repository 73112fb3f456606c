// expect: runtime_error data_race
//
// Key-value cache that copies the old rows, and writes the new ones over them.
//
// Another thread may copy an old element after this one has stored the new one.

__global__ void kv_cache_kernel(const int* lengths, const float* new_keys, const float* new_values,
                                const float* old_keys, const float* old_values, float* keys, float* values, int B,
                                int T, int H, int S, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * H * S * D) {
        keys[i] = old_keys[i];
        values[i] = old_values[i];
    }
    for (int k = i; k < B * T * H * D; k += gridDim.x * blockDim.x) {
        int d = k % D;
        int h = k / D % H;
        int t = k / D / H % T;
        int b = k / D / H / T;
        int s = (lengths[b] + t) % S;
        int to = ((b * H + h) * S + s) * D + d;
        keys[to] = new_keys[k];
        values[to] = new_values[k];
    }
}
