// expect: runtime_error out_of_bounds
//
// Vectorised sigmoid that checks only where its float4 begins.
//
// The student kept the guard of the simple kernel. A float4 that begins inside of the array may still end outside,
// unless N is a multiple of four.

__device__ float sigmoid(float x) {
    return 1.0f / (1.0f + expf(-x));
}

__global__ void map_kernel(const float* input, float* output, int N) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first < N) {
        float4 x = *reinterpret_cast<const float4*>(input + first);  // <- here
        float4 y = make_float4(sigmoid(x.x), sigmoid(x.y), sigmoid(x.z), sigmoid(x.w));
        *reinterpret_cast<float4*>(output + first) = y;
    }
}
