// expect: compile_error
//
// Colour inversion with signed bytes.
//
// A plain char is signed here, and another type than the one that the launch passes.

__global__ void invert_kernel(const char* input, char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < H * W) {
        for (int byte = 0; byte < 4; byte++) {
            output[4 * pixel + byte] = byte == 3 ? input[4 * pixel + 3] : 255 - input[4 * pixel + byte];
        }
    }
}
