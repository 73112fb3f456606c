// expect: accepted
//
// Zip by float4, with a thread for each element all the same.
//
// Added to step 1: one instruction moves 16 bytes, so that a quarter of the memory instructions moves the same data. The
// first N / 4 threads take a float4 each, the next N % 4 threads one of the elements left over. The others have nothing
// to do, and starting and ending them takes what the vectors save: 61.1 us for 16,777,216 elements on an H200, where step
// 1 takes 60.4 us and step 3, with a quarter of the threads, 48.1 us.

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
