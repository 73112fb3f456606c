// expect: compile_error
//
// Dot product that multiplies two float4.
//
// In a shader language a * b multiplies vectors element by element. CUDA C++ defines no operators for float4.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < N) {
        float4 x = *reinterpret_cast<const float4*>(a + i);
        float4 y = *reinterpret_cast<const float4*>(b + i);
        float4 product = x * y;  // <- here
        atomicAdd(output, product.x + product.y + product.z + product.w);
    }
}
