// expect: accepted
//
// SwiGLU, step 3: four elements a thread, by float4.
//
// Added to step 2: one instruction moves 16 bytes, and a thread has two loads and four independent exponentials to
// overlap. Whoever owns the last, incomplete four handles it element by element: a float4 there would reach past the
// end.

#define BLOCK 512

__device__ __forceinline__ float swiglu(float gate, float value) {
    return gate / (1.0f + expf(-gate)) * value;
}

__global__ void __launch_bounds__(BLOCK) swiglu_kernel(const float* __restrict__ gate, const float* __restrict__ value,
                                                       float* __restrict__ output, int N) {
    int first = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (first + 3 < N) {
        float4 g = *reinterpret_cast<const float4*>(gate + first);
        float4 v = *reinterpret_cast<const float4*>(value + first);
        *reinterpret_cast<float4*>(output + first) =
            make_float4(swiglu(g.x, v.x), swiglu(g.y, v.y), swiglu(g.z, v.z), swiglu(g.w, v.w));
    } else {
        for (int i = first; i < N; ++i) {
            output[i] = swiglu(gate[i], value[i]);
        }
    }
}
