// expect: accepted
//
// Key-value cache, step 2: four neighbouring columns a thread, by float4.
//
// Added to step 1: one instruction moves 16 bytes, and the divisions are paid once for four elements. Where D is no
// multiple of four, rows begin anywhere, and each thread does one element. Three of four threads have nothing to do:
// the launch is given. Expect a gain of up to two.

template <typename Piece>
__device__ __forceinline__ void update(int i, const int* __restrict__ lengths, const Piece* __restrict__ new_keys,
                                       const Piece* __restrict__ new_values, const Piece* __restrict__ old_keys,
                                       const Piece* __restrict__ old_values, Piece* __restrict__ keys,
                                       Piece* __restrict__ values, int B, int T, int H, int S, int D) {
    if (i >= B * H * S * D) {
        return;
    }
    int row = i / D;
    int d = i - row * D;
    int head = row / S;
    int s = row - head * S;
    int b = head / H;
    int h = head - b * H;
    int t = s - lengths[b] % S;
    t += t < 0 ? S : 0;
    if (t < T) {
        t += (T - 1 - t) / S * S;
        int from = ((b * T + t) * H + h) * D + d;
        keys[i] = new_keys[from];
        values[i] = new_values[from];
    } else {
        keys[i] = old_keys[i];
        values[i] = old_values[i];
    }
}

__global__ void kv_cache_kernel(const int* lengths, const float* new_keys, const float* new_values,
                                const float* old_keys, const float* old_values, float* keys, float* values, int B,
                                int T, int H, int S, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (D % 4 == 0) {
        update(i, lengths, reinterpret_cast<const float4*>(new_keys), reinterpret_cast<const float4*>(new_values),
               reinterpret_cast<const float4*>(old_keys), reinterpret_cast<const float4*>(old_values),
               reinterpret_cast<float4*>(keys), reinterpret_cast<float4*>(values), B, T, H, S, D / 4);
    } else {
        update(i, lengths, new_keys, new_values, old_keys, old_values, keys, values, B, T, H, S, D);
    }
}
