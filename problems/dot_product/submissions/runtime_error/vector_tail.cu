// expect: runtime_error out_of_bounds
//
// Dot product by float4 that checks only where its float4 begins.
//
// The student kept the guard of the simple kernel. A float4 that begins inside of the array may still end outside,
// unless N is a multiple of four.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    float sum = 0.0f;
    for (int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x); i < N; i += 4 * gridDim.x * blockDim.x) {
        float4 x = *reinterpret_cast<const float4*>(a + i);  // <- here
        float4 y = *reinterpret_cast<const float4*>(b + i);
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    atomicAdd(output, sum);
}
