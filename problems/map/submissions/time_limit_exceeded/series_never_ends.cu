// expect: time_limit_exceeded
//
// Sigmoid with an exponential series that never stops.
//
// The student adds terms until they vanish, and compares with >= 0. A term that has become 0 is still >= 0, so the
// loop goes on for ever; > 0 would have ended it.

__device__ float exponential(float x) {
    float sum = 1.0f;
    float term = 1.0f;
    for (float n = 1.0f; fabsf(term) >= 0.0f; n += 1.0f) {
        term *= x / n;
        sum += term;
    }
    return sum;
}

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + exponential(-input[i]));
    }
}
