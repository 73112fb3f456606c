// expect: compile_error
//
// Softmax that wants a row in shared memory, as long as N says.
//
// The size of a __shared__ array has to be known to the compiler.

__global__ void softmax_kernel(const float* input, float* output, int M, int N) {
    if (threadIdx.x > 0) {
        return;
    }
    __shared__ float copy[N];  // <- here
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float largest = row[0];
    for (int j = 1; j < N; j++) {
        largest = fmaxf(largest, row[j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < N; j++) {
        sum += expf(row[j] - largest);
    }
    for (int j = 0; j < N; j++) {
        result[j] = expf(row[j] - largest) / sum;
    }
}
