// Key-value cache, update: row [b][h][s] of the caches is that of the last new token with (lengths[b] + t) % S == s,
// else the old one. B sequences, T new tokens, H heads, S slots, rows of D floats.
//
// The kernel gets one thread for each element of `keys`, in blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void kv_cache_kernel(const int* lengths, const float* new_keys, const float* new_values,
                                const float* old_keys, const float* old_values, float* keys, float* values, int B,
                                int T, int H, int S, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The grid is rounded up to whole blocks: the last threads have no element and must not touch memory.
    if (i < B * H * S * D) {
        // Your turn: which sequence, head, slot and column is this? Which new token goes to the slot, if any?
        keys[i] = old_keys[i];
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* lengths, const float* new_keys, const float* new_values, const float* old_keys,
                      const float* old_values, float* keys, float* values, int B, int T, int H, int S, int D) {
    int blocks = (B * H * S * D + BLOCK - 1) / BLOCK;
    kv_cache_kernel<<<blocks, BLOCK>>>(lengths, new_keys, new_values, old_keys, old_values, keys, values, B, T, H, S,
                                       D);
}
