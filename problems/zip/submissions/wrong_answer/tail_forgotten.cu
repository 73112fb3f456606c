// expect: wrong_answer unwritten_output
//
// Vectorised addition that leaves out the elements behind the last whole float4.
//
// The student tried multiples of four only. N / 4 rounds down, and the N % 4 elements left over are nobody's.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 4) {
        float4 left = reinterpret_cast<const float4*>(a)[i];
        float4 right = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(output)[i] =
            make_float4(left.x + right.x, left.y + right.y, left.z + right.z, left.w + right.w);
    }
}
