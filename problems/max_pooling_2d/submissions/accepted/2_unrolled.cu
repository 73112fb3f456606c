// expect: accepted
//
// 2D max pooling, step 2: a template for each K.
//
// Added to step 1: the compiler knows K, unrolls both loops and issues all loads of a window before it needs the
// first. An element outside is not skipped: the index is clamped to the plane, which reads an element that the window
// has anyway, and no branch stands between the loads. Expect the gain where step 1 waits for one load after the
// other.

#define COLUMNS 32
#define ROWS 8

template <int WINDOW>
__device__ __forceinline__ float largest_of(const float* __restrict__ plane, int H, int W, int top, int left) {
    float largest = -INFINITY;
#pragma unroll
    for (int r = 0; r < WINDOW; r++) {
        // Padding is one element wide at most, so that the clamped element belongs to the window too.
        const float* line = plane + min(max(top + r, 0), H - 1) * W;
#pragma unroll
        for (int s = 0; s < WINDOW; s++) {
            largest = fmaxf(largest, line[min(max(left + s, 0), W - 1)]);
        }
    }
    return largest;
}

__global__ void __launch_bounds__(COLUMNS * ROWS)
    max_pooling_kernel(const float* __restrict__ input, float* __restrict__ output, int C, int H, int W, int K, int S,
                       int P, int OH, int OW) {
    int column = blockIdx.x * COLUMNS + threadIdx.x;
    int row = blockIdx.y * ROWS + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = row * S - P;
    int left = column * S - P;
    float largest;
    switch (K) {
        case 2: largest = largest_of<2>(plane, H, W, top, left); break;
        case 3: largest = largest_of<3>(plane, H, W, top, left); break;
        case 4: largest = largest_of<4>(plane, H, W, top, left); break;
        default: largest = largest_of<5>(plane, H, W, top, left);
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = largest;
}
