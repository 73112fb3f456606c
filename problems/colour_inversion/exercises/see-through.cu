__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < H * W) {
        for (int colour = 0; colour < 3; colour++) {
            output[4 * pixel + colour] = 255 - input[4 * pixel + colour];
        }
    }
}
