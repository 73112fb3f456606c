// expect: wrong_answer wrong_value
//
// Layer norm backward whose weight gradient contains the weight.
//
// The derivative by the weight is upstream times normal, without the weight.

__global__ void layer_norm_backward_kernel(const float* input, const float* weight, const float* mean,
                                           const float* inverse, const float* upstream, float* gradient,
                                           float* weight_gradient, float* bias_gradient, int M, int N) {
    if (threadIdx.x > 0) {
        return;
    }
    size_t first = (size_t)blockIdx.x * N;
    float center = mean[blockIdx.x];
    float factor = inverse[blockIdx.x];
    float sum = 0.0f;
    float sum_normal = 0.0f;
    for (int j = 0; j < N; j++) {
        float normal = (input[first + j] - center) * factor;
        float g = upstream[first + j] * weight[j];
        sum += g;
        sum_normal += g * normal;
    }
    float mean_g = sum / N;
    float mean_g_normal = sum_normal / N;
    for (int j = 0; j < N; j++) {
        float normal = (input[first + j] - center) * factor;
        float g = upstream[first + j] * weight[j];
        gradient[first + j] = factor * (g - mean_g - normal * mean_g_normal);
        atomicAdd(&weight_gradient[j], g * normal);
        atomicAdd(&bias_gradient[j], upstream[first + j]);
    }
}
