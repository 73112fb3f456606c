// expect: wrong_answer wrong_value
// problem: map
// row: 20
//
// A series that is right for inputs above 0 only.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = fabsf(input[i]);
    output[i] = 1.0f / (1.0f + expf(-x));
}
