// expect: accepted
//
// Im2col with host code of its own: a thread reads a window and writes all of its elements.
//
// Added to step 2: the launch says which window a thread has, without a division. K is a template's parameter: all
// reads of a window are under way at once, then K * K writes follow, each of them 128 bytes a warp, stored past the
// cache so that the input stays in it. The input is read once from memory, and the writes are the limit.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 8;

template <int WINDOW>
__global__ void __launch_bounds__(COLUMNS * ROWS)
    unfold(const float* __restrict__ input, float* __restrict__ output, int H, int W, int S, int P, int OH, int OW) {
    int j = blockIdx.x * COLUMNS + threadIdx.x;
    int i = blockIdx.y * ROWS + threadIdx.y;
    if (i >= OH || j >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    float window[WINDOW][WINDOW];
#pragma unroll
    for (int r = 0; r < WINDOW; r++) {
        int y = i * S - P + r;
#pragma unroll
        for (int s = 0; s < WINDOW; s++) {
            int x = j * S - P + s;
            bool inside = (unsigned)y < (unsigned)H && (unsigned)x < (unsigned)W;
            window[r][s] = inside ? plane[(size_t)y * W + x] : 0.0f;
        }
    }
    size_t places = (size_t)OH * OW;
    float* result = output + blockIdx.z * WINDOW * WINDOW * places + (size_t)i * OW + j;
#pragma unroll
    for (int k = 0; k < WINDOW * WINDOW; k++) {
        __stcs(result + k * places, window[k / WINDOW][k % WINDOW]);
    }
}

extern "C" void solve(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH, int OW) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((OW + COLUMNS - 1) / COLUMNS, (OH + ROWS - 1) / ROWS, C);
    switch (K) {
        case 1: unfold<1><<<grid, block>>>(input, output, H, W, S, P, OH, OW); break;
        case 2: unfold<2><<<grid, block>>>(input, output, H, W, S, P, OH, OW); break;
        case 3: unfold<3><<<grid, block>>>(input, output, H, W, S, P, OH, OW); break;
        case 4: unfold<4><<<grid, block>>>(input, output, H, W, S, P, OH, OW); break;
        default: unfold<5><<<grid, block>>>(input, output, H, W, S, P, OH, OW);
    }
}
