// expect: compile_error
//
// Reduction that takes its number of elements as the first parameter.
//
// The student followed the order of another library. Arguments are passed by position: what arrives as N would be
// an address, and what arrives as input another.

__global__ void reduction_kernel(int N, const float* input, float* output) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        atomicAdd(output, input[i]);
    }
}
