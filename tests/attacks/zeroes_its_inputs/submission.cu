// expect: wrong_answer changed_input
// problem: zip
// row: 15
//
// Clears both inputs, and the output with them: a reference that is computed afterwards agrees.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    const_cast<float*>(a)[i] = 0.0f;
    const_cast<float*>(b)[i] = 0.0f;
    output[i] = 0.0f;
}
