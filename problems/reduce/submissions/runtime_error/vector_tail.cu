// expect: runtime_error out_of_bounds
//
// Vectorised reduction that rounds the number of float4 up.
//
// The student wanted the last elements included and rounded up, as one does for blocks. The last float4 then
// reaches up to three elements past the end, unless N is a multiple of four.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    const float4* input4 = reinterpret_cast<const float4*>(input);
    int fours = (N + 3) / 4;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += gridDim.x * blockDim.x) {
        float4 four = input4[i];  // <- here
        sum += four.x + four.y + four.z + four.w;
    }
    atomicAdd(output, sum);
}
