// expect: runtime_error out_of_bounds
// on gpu: runtime_error
// problem: map
// row: 24
//
// Writes to address 0.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* nowhere = (float*)(unsigned long long)(N < 0);
    if (i < N) *nowhere = input[i];  // <- here
}
