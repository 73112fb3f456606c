// expect: wrong_answer
// problem: reduce
// row: 20
//
// Sums in integers of 2^-11, which is exact for one family of inputs and for no other.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += (long long)(input[i] * 2048.0f);
    atomicAdd(output, (float)sum / 2048.0f);
}
