// expect: wrong_answer wrong_value
//
// Rotary embedding that forgets to divide by the heads.
//
// pair / HALF counts the heads of all tokens.

__global__ void rope_kernel(const float* input, const float* cosines, const float* sines, const int* positions,
                            float* output, int T, int HEADS, int HALF, int LENGTH) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= T * HEADS * HALF) {
        return;
    }
    int i = pair % HALF;
    int token = pair / HALF % T;
    size_t angle = (size_t)positions[token] * HALF + i;
    float c = cosines[angle];
    float s = sines[angle];
    size_t first = (size_t)(pair / HALF) * 2 * HALF + i;
    float x = input[first];
    float y = input[first + HALF];
    output[first] = x * c - y * s;
    output[first + HALF] = y * c + x * s;
}
