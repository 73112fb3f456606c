// expect: wrong_answer wrong_value
//
// 2D max pooling that pads with zeros.
//
// As a convolution does. In a plane of negative elements the padding then is the largest.

__global__ void max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                   int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = row * S - P;
    int bottom = top + K;
    int left = column * S - P;
    int right = left + K;
    float largest = -INFINITY;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            bool inside = y >= 0 && y < H && x >= 0 && x < W;
            largest = fmaxf(largest, inside ? plane[y * W + x] : 0.0f);
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = largest;
}
