// expect: wrong_answer
//
// 2D convolution that checks the index and not the column.
//
// One step to the left of a row's first element lies the last element of the row above. The index is inside of the
// array, and the element is not a neighbour.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                int index = (y + r - R / 2) * W + x + s - S / 2;
                if (index >= 0 && index < H * W) {
                    sum += weights[r * S + s] * input[index];
                }
            }
        }
        output[y * W + x] = sum;
    }
}
