// expect: wrong_answer wrong_value
//
// Adam step without the corrections.
//
// In the first steps both moments are near 0, and the second one has the longer way.

__global__ void adam_kernel(const float* weight, const float* gradient, const float* first, const float* second,
                            float* new_weight, float* new_first, float* new_second, int N, float rate, float beta1,
                            float beta2, float epsilon, float decay, float bias1, float bias2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float g = gradient[i];
        float m = beta1 * first[i] + (1.0f - beta1) * g;
        float v = beta2 * second[i] + (1.0f - beta2) * g * g;
        float step = m / (sqrtf(v) + epsilon);
        float w = weight[i];
        new_weight[i] = w - rate * (step + decay * w);
        new_first[i] = m;
        new_second[i] = v;
    }
}
