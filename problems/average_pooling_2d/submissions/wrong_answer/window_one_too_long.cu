// expect: wrong_answer wrong_value
//
// 2D average pooling with windows of K + 1 elements.
//
// <= for <: each window has a row and a column too many, as far as the plane goes.

__global__ void average_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                       int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = max(row * S - P, 0);
    int bottom = min(row * S - P + K, H);
    int left = max(column * S - P, 0);
    int right = min(column * S - P + K, W);
    float sum = 0.0f;
    for (int y = top; y <= min(bottom, H - 1); y++) {
        for (int x = left; x <= min(right, W - 1); x++) {
            sum += plane[y * W + x];
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = sum / ((bottom - top) * (right - left));
}
