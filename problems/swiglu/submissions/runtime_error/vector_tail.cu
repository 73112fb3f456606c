// expect: runtime_error out_of_bounds
//
// SwiGLU by float4 that checks only where its float4 begins.
//
// A float4 that begins inside of the array may still end outside, unless N is a multiple of four.

__device__ float swiglu(float gate, float value) {
    return gate / (1.0f + expf(-gate)) * value;
}

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first < N) {
        float4 g = *reinterpret_cast<const float4*>(gate + first);  // <- here
        float4 v = *reinterpret_cast<const float4*>(value + first);
        *reinterpret_cast<float4*>(output + first) =
            make_float4(swiglu(g.x, v.x), swiglu(g.y, v.y), swiglu(g.z, v.z), swiglu(g.w, v.w));
    }
}
