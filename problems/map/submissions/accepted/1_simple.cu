// expect: accepted
//
// Map, step 1: one thread computes one element.
//
// Neighbouring threads touch neighbouring elements, so that each warp reads and writes whole lines of memory. This
// already runs near the speed of the memory; the later steps show how to keep that speed in other circumstances.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}
