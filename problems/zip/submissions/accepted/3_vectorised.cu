// expect: accepted
//
// Zip, step 3: four pairs a thread, by float4.
//
// Added to step 2: one instruction moves 16 bytes, so that a quarter of the memory instructions moves the same
// data. The first N / 4 threads take a float4 each, the next N % 4 threads one of the elements left over. The
// others have nothing to do, and larger blocks make for fewer idle ones to start and end. Where step 1 already
// saturates the memory, this gains little; it pays where threads have more to do for each element.

#define BLOCK 512

__device__ inline float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int thread = blockIdx.x * BLOCK + threadIdx.x;
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
