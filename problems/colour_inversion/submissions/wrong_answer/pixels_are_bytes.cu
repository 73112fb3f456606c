// expect: wrong_answer unwritten_output
//
// Colour inversion with a thread for a byte.
//
// The launch has a thread for each pixel, which is a quarter of the bytes.

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < H * W) {
        output[i] = i % 4 == 3 ? input[i] : 255 - input[i];
    }
}
