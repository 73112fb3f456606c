// expect: wrong_answer unwritten_output
//
// Rotary embedding that forgets the second element of each pair.
//
// There is a thread for each pair, not for each element.

__global__ void rope_kernel(const float* input, const float* cosines, const float* sines, const int* positions,
                            float* output, int T, int HEADS, int HALF, int LENGTH) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= T * HEADS * HALF) {
        return;
    }
    int i = pair % HALF;
    int token = pair / HALF / HEADS;
    size_t angle = (size_t)positions[token] * HALF + i;
    float c = cosines[angle];
    float s = sines[angle];
    size_t first = (size_t)(pair / HALF) * 2 * HALF + i;
    float x = input[first];
    float y = input[first + HALF];
    output[first] = x * c - y * s;
}
