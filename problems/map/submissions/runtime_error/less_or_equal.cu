// expect: runtime_error out_of_bounds
//
// Sigmoid whose guard lets one thread too many pass.
//
// The student wrote <= for <. Thread N reads input[N], one past the last element.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= N) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));  // <- here
    }
}
