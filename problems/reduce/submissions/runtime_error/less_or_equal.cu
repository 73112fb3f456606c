// expect: runtime_error out_of_bounds
//
// Reduction whose loop runs one element too far.
//
// The student wrote <= for <. The last element is input[N - 1].

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= N; i += gridDim.x * blockDim.x) {
        sum += input[i];  // <- here
    }
    atomicAdd(output, sum);
}
