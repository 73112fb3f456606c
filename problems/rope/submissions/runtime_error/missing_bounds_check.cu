// expect: runtime_error out_of_bounds
//
// Rotary embedding without a bounds check.
//
// The grid is rounded up to whole blocks; the last threads have no pair.

__global__ void rope_kernel(const float* input, const float* cosines, const float* sines, const int* positions,
                            float* output, int T, int HEADS, int HALF, int LENGTH) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    int i = pair % HALF;
    int token = pair / HALF / HEADS;
    size_t angle = (size_t)positions[token] * HALF + i;  // <- here
    float c = cosines[angle];
    float s = sines[angle];
    size_t first = (size_t)(pair / HALF) * 2 * HALF + i;
    float x = input[first];
    float y = input[first + HALF];
    output[first] = x * c - y * s;
    output[first + HALF] = y * c + x * s;
}
