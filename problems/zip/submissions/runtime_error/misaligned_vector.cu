// expect: runtime_error misaligned
//
// Vectorised addition that forgets to multiply its index by four.
//
// The student turned floats into float4 but left the index as it was. Thread 1 then reads 16 bytes that begin 4
// bytes into the array; a float4 has to begin at a multiple of 16 bytes.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 3 < N) {
        float4 left = *reinterpret_cast<const float4*>(a + i);  // <- here
        float4 right = *reinterpret_cast<const float4*>(b + i);
        *reinterpret_cast<float4*>(output + i) =
            make_float4(left.x + right.x, left.y + right.y, left.z + right.z, left.w + right.w);
    } else if (i < N) {
        output[i] = a[i] + b[i];
    }
}
