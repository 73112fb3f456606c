// expect: runtime_error out_of_bounds
//
// 2D max pooling that takes every window for a whole one.
//
// With padding, the first windows begin above and left of the plane, and the last ones end behind it.

__global__ void max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                   int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = row * S - P;
    int bottom = row * S - P + K;
    int left = column * S - P;
    int right = column * S - P + K;
    float largest = -INFINITY;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            largest = fmaxf(largest, plane[y * W + x]);  // <- here
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = largest;
}
