// expect: runtime_error out_of_bounds
// on gpu: wrong_answer | runtime_error
// problem: reduce
// row: 24
//
// Writes beyond its shared array.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float part[256];
    for (int k = 0; k < 1 << 16; k += 256) part[threadIdx.x + k] = 1.0f;  // <- here
    __syncthreads();
    output[0] = part[N % 256];
}
