// expect: wrong_answer wrong_value
//
// Dot product as the product of the sums.
//
// The student took the multiplication out of the sum. That is right for one element only.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float sum_a = 0.0f;
        float sum_b = 0.0f;
        for (int i = 0; i < N && i < 10000; ++i) {
            sum_a += a[i];
            sum_b += b[i];
        }
        output[0] = sum_a * sum_b;
    }
}
