// expect: wrong_answer wrong_value
//
// 2D max pooling whose cut windows reach too far.
//
// The beginning is moved into the plane, and the end is counted from there: the first windows take one row and one
// column that don't belong to them.

__global__ void max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                   int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = max(row * S - P, 0);
    int bottom = min(top + K, H);
    int left = max(column * S - P, 0);
    int right = min(left + K, W);
    float largest = -INFINITY;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            largest = fmaxf(largest, plane[y * W + x]);
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = largest;
}
