// expect: runtime_error out_of_bounds
//
// GELU by float4 with the number of fours rounded up.
//
// Rounding up is right for threads, which a guard can stop. A float4 can't be stopped half way: the last one
// reaches up to three elements beyond the array.

__device__ float gelu(float x) {
    return x / (1.0f + expf(-x * (1.5957691216f + 0.0713548163f * x * x)));
}

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (N + 3) / 4) {
        float4 x = reinterpret_cast<const float4*>(input)[i];  // <- here
        reinterpret_cast<float4*>(output)[i] = make_float4(gelu(x.x), gelu(x.y), gelu(x.z), gelu(x.w));
    }
}
