// Layer norm: every row of output is (input - mean) / sqrt(variance + 1e-5) * weight + bias. M x N, fp32.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void layer_norm_kernel(const float* input, const float* weight, const float* bias, float* output, int M,
                                  int N) {
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;

    // Your turn: bring the threads' parts of the row together, for the mean first and for the variance then.
    float mean = 0.0f;
    float variance = 1.0f;

    // Each thread takes every BLOCK-th element of the row.
    float scale = rsqrtf(variance + 1e-5f);
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, int M, int N) {
    layer_norm_kernel<<<M, BLOCK>>>(input, weight, bias, output, M, N);
}
