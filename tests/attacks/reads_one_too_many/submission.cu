// expect: runtime_error out_of_bounds
// on gpu: wrong_answer | runtime_error | accepted
// problem: reduce
// row: 17
//
// Reads one element after the end and multiplies it by 0, which works wherever memory is there.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= N; i += gridDim.x * blockDim.x) {
        float x = input[i];  // <- here
        sum += i < N ? x : fminf(fabsf(x), 0.0f);
    }
    atomicAdd(output, sum);
}
