// expect: compile_error
//
// Sigmoid in double precision.
//
// The student wanted to be on the safe side and declared the arrays as double. The arrays hold floats.

__global__ void map_kernel(const double* input, double* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0 / (1.0 + exp(-input[i]));
    }
}
