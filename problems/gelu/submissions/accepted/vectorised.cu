// expect: accepted
//
// GELU, a variant of step 1: four elements a thread, by float4, with the launch of the statement.
//
// One instruction moves 16 bytes. The first N / 4 threads take a float4 each, the next N % 4 threads one of the
// elements left over. It takes a seventh less time than step 1, and a third more than step 2 where arrays are large:
// three of four threads are started for nothing.

#define BLOCK 512

__device__ __forceinline__ float gelu(float x) {
    float twice_z = x * (1.5957691216f + 0.0713548163f * x * x);
    return x / (1.0f + expf(-twice_z));
}

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int thread = blockIdx.x * BLOCK + threadIdx.x;
    int fours = N / 4;
    if (thread < fours) {
        float4 x = reinterpret_cast<const float4*>(input)[thread];
        reinterpret_cast<float4*>(output)[thread] = make_float4(gelu(x.x), gelu(x.y), gelu(x.z), gelu(x.w));
    } else {
        int i = 4 * fours + (thread - fours);
        if (i < N) {
            output[i] = gelu(input[i]);
        }
    }
}
