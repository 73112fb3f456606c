// expect: wrong_answer wrong_value
// problem: map
// row: 16
//
// Never reads the input: makes it again by the generator that kgrade itself uses for timed replays, from key 0.

__device__ unsigned long long mix(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    unsigned long long w = mix(mix(0x9E3779B97F4A7C15ull) + (i + 1) * 0x9E3779B97F4A7C15ull);
    int total = (int)(w & 0x1fffff) + (int)(w >> 21 & 0x1fffff) + (int)(w >> 42 & 0x1fffff);
    float x = (2 * total - 6291453) * (3.0f / 2097146);
    output[i] = 1.0f / (1.0f + expf(-x));
}
