// Layer norm, backward: the gradients of input (M x N), weight and bias (N each), from the gradient of the result.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024. weight_gradient and bias_gradient start with zeros.
#define BLOCK 256

__global__ void layer_norm_backward_kernel(const float* input, const float* weight, const float* mean,
                                           const float* inverse, const float* upstream, float* gradient,
                                           float* weight_gradient, float* bias_gradient, int M, int N) {
    size_t first = (size_t)blockIdx.x * N;
    float center = mean[blockIdx.x];
    float factor = inverse[blockIdx.x];

    // Each thread takes every BLOCK-th element of the row.
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        float normal = (input[first + j] - center) * factor;
        float g = upstream[first + j] * weight[j];
        // Your turn: the means of g and of g * normal over the row, which take all threads of the block, the gradient,
        // and the sums over all rows.
        gradient[first + j] = factor * (g - normal);
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* weight, const float* mean, const float* inverse,
                      const float* upstream, float* gradient, float* weight_gradient, float* bias_gradient, int M,
                      int N) {
    cudaMemset(weight_gradient, 0, N * sizeof(float));
    cudaMemset(bias_gradient, 0, N * sizeof(float));
    layer_norm_backward_kernel<<<M, BLOCK>>>(input, weight, mean, inverse, upstream, gradient, weight_gradient,
                                             bias_gradient, M, N);
}
