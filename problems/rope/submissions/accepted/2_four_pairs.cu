// expect: accepted
//
// Rotary embedding, step 2: four neighbouring pairs a thread, by float4.
//
// Added to step 1: one instruction moves 16 bytes, and the divisions are paid once for four pairs. Where HALF is no
// multiple of four, halves begin anywhere, and a thread does its pairs one by one. Three quarters of the threads have
// nothing to do: the launch is given.

#define BLOCK 256

__device__ __forceinline__ void turn(float& x, float& y, float c, float s) {
    float before = x;
    x = before * c - y * s;
    y = y * c + before * s;
}

__global__ void __launch_bounds__(BLOCK)
    rope_kernel(const float* __restrict__ input, const float* __restrict__ cosines, const float* __restrict__ sines,
                const int* __restrict__ positions, float* __restrict__ output, int T, int HEADS, int HALF,
                int LENGTH) {
    int thread = blockIdx.x * BLOCK + threadIdx.x;
    if (HALF % 4 == 0) {
        int fours = HALF / 4;
        if (thread >= T * HEADS * fours) {
            return;
        }
        int head = thread / fours;
        int i = 4 * (thread - head * fours);
        size_t angle = (size_t)positions[head / HEADS] * HALF + i;
        float4 c = *reinterpret_cast<const float4*>(cosines + angle);
        float4 s = *reinterpret_cast<const float4*>(sines + angle);
        size_t first = (size_t)head * 2 * HALF + i;
        float4 x = *reinterpret_cast<const float4*>(input + first);
        float4 y = *reinterpret_cast<const float4*>(input + first + HALF);
        turn(x.x, y.x, c.x, s.x);
        turn(x.y, y.y, c.y, s.y);
        turn(x.z, y.z, c.z, s.z);
        turn(x.w, y.w, c.w, s.w);
        *reinterpret_cast<float4*>(output + first) = x;
        *reinterpret_cast<float4*>(output + first + HALF) = y;
        return;
    }
    if (thread < T * HEADS * HALF) {
        int head = thread / HALF;
        int i = thread - head * HALF;
        size_t angle = (size_t)positions[head / HEADS] * HALF + i;
        size_t first = (size_t)head * 2 * HALF + i;
        float x = input[first];
        float y = input[first + HALF];
        turn(x, y, cosines[angle], sines[angle]);
        output[first] = x;
        output[first + HALF] = y;
    }
}
