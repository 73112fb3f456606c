// expect: wrong_answer wrong_value
//
// Rotary embedding of neighbouring elements.
//
// GPT-J pairs elements 2i and 2i + 1. Here element i is paired with element i + HALF.

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
    size_t first = (size_t)(pair / HALF) * 2 * HALF + 2 * i;
    float x = input[first];
    float y = input[first + 1];
    output[first] = x * c - y * s;
    output[first + 1] = y * c + x * s;
}
