// expect: wrong_answer changed_input
//
// Vector addition that adds b to a, and then copies a.
//
// The student thought of a += b and cast away the const of a. The output is right, but the caller's a is gone.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float* sum = const_cast<float*>(a);
        sum[i] += b[i];
        output[i] = sum[i];
    }
}
