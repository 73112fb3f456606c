// expect: accepted
//
// Sobel filter, step 2: who is inside asks nothing, and the root is the hardware's.
//
// Added to step 1: a thread asks once whether all of its neighbours exist. Nearly all do, and then they lie at fixed
// distances from three addresses, which a load adds by itself: no minimum, no maximum and no product for each of the
// eight. The root of step 1 is right to the last bit, which takes a dozen instructions more. The hardware's is off by less
// than 2^-22 of itself, and the root of a whole number below 2^16 is never nearer than 2^-19 to the middle between two
// whole numbers. A tile in shared memory gains nothing here: L1 delivers the neighbours as fast, and copying costs more
// instructions than it saves. Expect a tenth less time.

__device__ __forceinline__ float root(float square) {
    float result;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(square));
    return result;
}

__device__ __forceinline__ unsigned char edge(int left_above, int above, int right_above, int left, int right,
                                              int left_below, int below, int right_below) {
    int gx = right_above - left_above + 2 * (right - left) + right_below - left_below;
    int gy = left_below - left_above + 2 * (below - above) + right_below - right_above;
    return min(__float2int_rn(root((float)(gx * gx + gy * gy))), 255);
}

__global__ void sobel_kernel(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= H || column >= W) {
        return;
    }
    if (row - 1u < H - 2u && column - 1u < W - 2u) {
        const unsigned char* above = input + (row - 1) * W + column;
        const unsigned char* here = above + W;
        const unsigned char* below = here + W;
        output[row * W + column] =
            edge(above[-1], above[0], above[1], here[-1], here[1], below[-1], below[0], below[1]);
        return;
    }
    const unsigned char* above = input + max(row - 1, 0) * W;
    const unsigned char* here = input + row * W;
    const unsigned char* below = input + min(row + 1, H - 1) * W;
    int left = max(column - 1, 0);
    int right = min(column + 1, W - 1);
    output[row * W + column] = edge(above[left], above[column], above[right], here[left], here[right], below[left],
                                    below[column], below[right]);
}
