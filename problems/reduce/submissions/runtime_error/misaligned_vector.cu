// expect: runtime_error misaligned
//
// Vectorised reduction that starts its float4 loads behind the first element.
//
// The student let thread 0 take the leftover elements from the front instead of the end. A float4 has to start at a
// multiple of 16 bytes; after one, two or three floats it does not. Right only when N is a multiple of four.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    int leftover = N % 4;
    const float* rest = input + leftover;

    int first = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = first < leftover ? input[first] : 0.0f;
    for (int i = first; i < N / 4; i += gridDim.x * blockDim.x) {
        float4 four = *reinterpret_cast<const float4*>(rest + 4 * i);  // <- here
        sum += four.x + four.y + four.z + four.w;
    }
    atomicAdd(output, sum);
}
