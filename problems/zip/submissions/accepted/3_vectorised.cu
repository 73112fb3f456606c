// expect: accepted
//
// Zip, step 3: four pairs a thread, by float4.
//
// Added to step 2: one instruction moves 16 bytes, so that a quarter of the memory instructions keeps the same
// number of bytes in flight. The first N / 4 threads take a float4 each, the next N % 4 threads one of the elements
// left over.

__device__ inline float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int fours = N / 4;

    if (thread < fours) {
        float4 sum = reinterpret_cast<const float4*>(a)[thread] + reinterpret_cast<const float4*>(b)[thread];
        reinterpret_cast<float4*>(output)[thread] = sum;
    } else {
        int i = 4 * fours + (thread - fours);
        if (i < N) {
            output[i] = a[i] + b[i];
        }
    }
}
