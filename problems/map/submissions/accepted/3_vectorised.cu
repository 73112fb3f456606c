// expect: accepted
//
// Map, step 3: four elements a thread, by float4.
//
// Added to step 2: one instruction moves 16 bytes, so that a quarter of the memory instructions moves the same
// data, and each thread has four independent exponentials to overlap. The first quarter of the threads does the
// work; larger blocks make for fewer idle ones to start and end. Whoever owns the last, incomplete four handles it
// element by element: a float4 there would reach past the end.

#define BLOCK 512

__device__ __forceinline__ float sigmoid(float x) {
    return 1.0f / (1.0f + expf(-x));
}

__global__ void map_kernel(const float* input, float* output, int N) {
    int first = 4 * (blockIdx.x * BLOCK + threadIdx.x);

    if (first + 3 < N) {
        float4 x = *reinterpret_cast<const float4*>(input + first);
        float4 y = make_float4(sigmoid(x.x), sigmoid(x.y), sigmoid(x.z), sigmoid(x.w));
        *reinterpret_cast<float4*>(output + first) = y;
    } else {
        for (int i = first; i < N; ++i) {
            output[i] = sigmoid(input[i]);
        }
    }
}
