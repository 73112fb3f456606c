// expect: wrong_answer wrong_value
//
// 2D max pooling whose first window begins at the corner.
//
// With P = 1 all windows lie one row and one column too far.

__global__ void max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                   int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = row * S;
    int bottom = min(row * S + K, H);
    int left = column * S;
    int right = min(column * S + K, W);
    float largest = -INFINITY;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            largest = fmaxf(largest, plane[y * W + x]);
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = largest;
}
