// expect: accepted
//
// Adam step, step 2: what depends on no element is computed before.
//
// Added to step 1: two of the three divisions become products, and the decay one factor. Restricted pointers tell the
// compiler that no store changes what a later load reads. The gain is small as long as the memory is the limit.

__global__ void adam_kernel(const float* __restrict__ weight, const float* __restrict__ gradient,
                            const float* __restrict__ first, const float* __restrict__ second,
                            float* __restrict__ new_weight, float* __restrict__ new_first,
                            float* __restrict__ new_second, int N, float rate, float beta1, float beta2, float epsilon,
                            float decay, float bias1, float bias2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) {
        return;
    }
    float kept = 1.0f - rate * decay;
    float factor = rate / bias1;
    float root = 1.0f / sqrtf(bias2);
    float g = gradient[i];
    float m = beta1 * first[i] + (1.0f - beta1) * g;
    float v = beta2 * second[i] + (1.0f - beta2) * g * g;
    new_weight[i] = kept * weight[i] - factor * m / (root * sqrtf(v) + epsilon);
    new_first[i] = m;
    new_second[i] = v;
}
