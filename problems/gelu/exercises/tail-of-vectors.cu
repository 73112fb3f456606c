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
        int i = 4 * fours + thread;
        if (i < N) {
            output[i] = gelu(input[i]);
        }
    }
}
