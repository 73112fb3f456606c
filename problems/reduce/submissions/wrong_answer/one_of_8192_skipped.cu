// expect: wrong_answer
//
// Reduction that leaves one element out of 8192.
//
// Among so many its absence is smaller than what rounding may do to the sum, unless nothing is rounded at all.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        if (i < 8192 || i % 8192 != 5000) {
            sum += input[i];
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(output, sum);
    }
}
