// expect: runtime_error out_of_bounds
//
// Median filter that reads around the image.
//
// The first row has no row above it: the index is negative there.

__global__ void median_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    unsigned char list[9];
    int length = 0;
    for (int r = -1; r <= 1; r++) {
        for (int s = -1; s <= 1; s++) {
            int y = row + r;
            int x = column + s;
            unsigned char pixel = input[y * W + x];  // <- here
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
