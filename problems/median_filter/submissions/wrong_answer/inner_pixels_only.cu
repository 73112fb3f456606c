// expect: wrong_answer unwritten_output
//
// Median filter that leaves the rim alone.
//
// The rim's pixels have a median, too.

__global__ void median_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < 1 || row >= H - 1 || column < 1 || column >= W - 1) {
        return;
    }
    unsigned char list[9];
    int length = 0;
    for (int r = -1; r <= 1; r++) {
        for (int s = -1; s <= 1; s++) {
            int y = min(max(row + r, 0), H - 1);
            int x = min(max(column + s, 0), W - 1);
            unsigned char pixel = input[y * W + x];
            int place = length;
            while (place > 0 && list[place - 1] > pixel) {
                list[place] = list[place - 1];
                place--;
            }
            list[place] = pixel;
            length++;
        }
    }
    output[row * W + column] = list[4];
}
