// expect: runtime_error misaligned
//
// Embedding by float4, whatever D is.
//
// Where D is no multiple of four, rows begin in the middle of 16 bytes.

#define BLOCK 256

__global__ void __launch_bounds__(BLOCK)
    embedding_kernel(const int* __restrict__ tokens, const float* __restrict__ words, const float* __restrict__ places,
                     float* __restrict__ output, int B, int T, int V, int D) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (D >= 4) {
        int fours = D / 4;
        if (i < B * T * fours) {
            int token = i / fours;
            int d = i - token * fours;
            float4 word = *reinterpret_cast<const float4*>(words + (size_t)tokens[token] * D + 4 * d);
            float4 place = *reinterpret_cast<const float4*>(places + token % T * D + 4 * d);
            float4 sum = {word.x + place.x, word.y + place.y, word.z + place.z, word.w + place.w};
            *reinterpret_cast<float4*>(output + (size_t)token * D + 4 * d) = sum;
        }
    } else if (i < B * T * D) {
        int token = i / D;
        int d = i - token * D;
        output[i] = words[(size_t)tokens[token] * D + d] + places[token % T * D + d];
    }
}
