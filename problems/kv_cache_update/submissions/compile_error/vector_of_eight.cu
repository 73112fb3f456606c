// expect: compile_error
//
// Key-value cache by a vector type that doesn't exist.
//
// CUDA's widest vector of floats is float4, which is what one instruction moves.

__global__ void kv_cache_kernel(const int* lengths, const float* new_keys, const float* new_values,
                                const float* old_keys, const float* old_values, float* keys, float* values, int B,
                                int T, int H, int S, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float8* old = reinterpret_cast<const float8*>(old_keys);  // <- here
    if (i < B * H * S * D / 4) {
        reinterpret_cast<float8*>(keys)[i] = old[i];
    }
}
