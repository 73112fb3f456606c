// expect: accepted
//
// 2D max pooling, step 1: one thread for each output, two loops over its window.
//
// The bounds of the loops are cut at the plane's edges, so that no element needs a question of its own. Neighbouring
// threads read elements S apart: a warp's loads touch S times as many sectors as it has elements to read, and the
// cache keeps them for the next columns of the window.

__global__ void max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
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
    float largest = -INFINITY;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            largest = fmaxf(largest, plane[y * W + x]);
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = largest;
}
