// expect: wrong_answer wrong_value
//
// 2D max pooling with windows one element apart.
//
// The student tried S = 1 only.

__global__ void max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                   int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = max(row - P, 0);
    int bottom = min(row - P + K, H);
    int left = max(column - P, 0);
    int right = min(column - P + K, W);
    float largest = -INFINITY;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            largest = fmaxf(largest, plane[y * W + x]);
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = largest;
}
