// expect: wrong_answer unwritten_output
//
// SwiGLU by float4 that leaves out the elements behind the last whole four.
//
// N / 4 rounds down, and the N % 4 elements left over are nobody's.

__device__ float swiglu(float gate, float value) {
    return gate / (1.0f + expf(-gate)) * value;
}

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 4) {
        float4 g = reinterpret_cast<const float4*>(gate)[i];
        float4 v = reinterpret_cast<const float4*>(value)[i];
        reinterpret_cast<float4*>(output)[i] =
            make_float4(swiglu(g.x, v.x), swiglu(g.y, v.y), swiglu(g.z, v.z), swiglu(g.w, v.w));
    }
}
