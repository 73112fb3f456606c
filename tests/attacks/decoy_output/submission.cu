// expect: wrong_answer unwritten_output
// problem: map
// row: 15
//
// Has a variable of the same name as the output and writes there.

__device__ float output[1 << 20];
__device__ void decoy(int i, float value) { output[i & 0xfffff] = value; }

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) decoy(i, 1.0f / (1.0f + expf(-input[i])));
}
