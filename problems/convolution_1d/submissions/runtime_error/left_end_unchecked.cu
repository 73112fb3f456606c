// expect: runtime_error out_of_bounds
//
// 1D convolution that checks the right end only.
//
// The student kept the guard of every other kernel, index < N. Here indices also come out below 0.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            int from = i + j - K / 2;
            if (from < N) {
                sum += weights[j] * input[from];  // <- here
            }
        }
        output[i] = sum;
    }
}
