// expect: accepted
//
// Embedding, step 2: four neighbouring elements a thread, by float4.
//
// Added to step 1: one instruction moves 16 bytes, and the divisions are paid once for four elements. Where D is no
// multiple of four, rows begin anywhere, and each thread does one element. Three quarters of the threads have nothing
// to do: the launch is given.

#define BLOCK 256

__global__ void __launch_bounds__(BLOCK)
    embedding_kernel(const int* __restrict__ tokens, const float* __restrict__ words, const float* __restrict__ places,
                     float* __restrict__ output, int B, int T, int V, int D) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (D % 4 == 0) {
        int fours = D / 4;
        if (i < B * T * fours) {
            int token = i / fours;
            int d = i - token * fours;
            float4 word = reinterpret_cast<const float4*>(words)[(size_t)tokens[token] * fours + d];
            float4 place = reinterpret_cast<const float4*>(places)[token % T * fours + d];
            reinterpret_cast<float4*>(output)[i] = {word.x + place.x, word.y + place.y, word.z + place.z,
                                                    word.w + place.w};
        }
    } else if (i < B * T * D) {
        int token = i / D;
        int d = i - token * D;
        output[i] = words[(size_t)tokens[token] * D + d] + places[token % T * D + d];
    }
}
