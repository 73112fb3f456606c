// expect: wrong_answer changed_input
//
// Sigmoid computed in place first.
//
// The student used the input array for the result in between, casting away its const. The output is right, but the
// caller's data is gone.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float* value = const_cast<float*>(input) + i;
        *value = 1.0f / (1.0f + expf(-*value));
        output[i] = *value;
    }
}
