// expect: accepted
//
// 2D average pooling with host code of its own: windows that share nothing get a thread each.
//
// Added to four outputs a thread: that saves sums of rows that windows share. Where S is K or more they share none, and
// four windows a thread only make for fewer threads: small planes leave three of four lanes idle. So the outputs of all
// planes are numbered through, one for each thread, and K is a template's parameter, so that all loads of a window are
// under way at once. Windows of 2 x 2 are taken by two: a thread reads two float4 and stores a float2. Windows that
// overlap go as before. Expect half the time with 7 x 7 windows on 56 x 56.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 8;
constexpr int BLOCK = COLUMNS * ROWS;
constexpr int OUTPUTS = 4;

// Planes whose width is a multiple of four, cut into squares of 2 x 2.
__global__ void __launch_bounds__(BLOCK)
    pool_twos(const float* __restrict__ input, float* __restrict__ output, int W, long long pairs) {
    const long long pair = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (pair >= pairs) {
        return;
    }
    // Rows of outputs are W / 4 pairs, and each stands for two rows of the input.
    const unsigned width = W / 4;
    const long long row = pair / width;
    const int place = pair % width;
    const float4* line = reinterpret_cast<const float4*>(input) + 2 * row * width + place;
    const float4 above = __ldcs(line);
    const float4 below = __ldcs(line + width);
    __stcs(reinterpret_cast<float2*>(output) + pair, make_float2(0.25f * ((above.x + above.y) + (below.x + below.y)),
                                                               0.25f * ((above.z + above.w) + (below.z + below.w))));
}

template <int WINDOW>
__global__ void __launch_bounds__(BLOCK)
    pool_apart(const float* __restrict__ input, float* __restrict__ output, int H, int W, int S, int P, int OH, int OW,
               long long outputs) {
    const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (at >= outputs) {
        return;
    }
    const unsigned in_plane = at % ((long long)OH * OW);
    const float* plane = input + at / ((long long)OH * OW) * H * W;
    const int top = (int)(in_plane / OW) * S - P;
    const int left = (int)(in_plane % OW) * S - P;
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < WINDOW; r++) {
        float of_row = 0.0f;
#pragma unroll
        for (int s = 0; s < WINDOW; s++) {
            const int y = top + r;
            const int x = left + s;
            of_row += y >= 0 && y < H && x >= 0 && x < W ? plane[y * W + x] : 0.0f;
        }
        sum += of_row;
    }
    const int rows = min(top + WINDOW, H) - max(top, 0);
    const int columns = min(left + WINDOW, W) - max(left, 0);
    output[at] = sum / (rows * columns);
}

template <int WINDOW>
__global__ void __launch_bounds__(BLOCK)
    pool(const float* __restrict__ input, float* __restrict__ output, int H, int W, int S, int P, int OH, int OW) {
    const int column = blockIdx.x * COLUMNS + threadIdx.x;
    const int first = (blockIdx.y * ROWS + threadIdx.y) * OUTPUTS;
    if (first >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    const int top = first * S - P;
    const int left = column * S - P;

    float sums[OUTPUTS] = {};
    const int rows = (min(OUTPUTS, OH - first) - 1) * S + WINDOW;
#pragma unroll 2
    for (int r = 0; r < rows; r++) {
        const int y = top + r;
        if (y < 0 || y >= H) {
            continue;
        }
        const float* line = plane + (size_t)y * W;
        float of_row = 0.0f;
#pragma unroll
        for (int s = 0; s < WINDOW; s++) {
            const int x = left + s;
            of_row += x >= 0 && x < W ? line[x] : 0.0f;
        }
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            const int within = r - o * S;
            sums[o] += within >= 0 && within < WINDOW ? of_row : 0.0f;
        }
    }

    const int columns = min(left + WINDOW, W) - max(left, 0);
    float* result = output + ((size_t)blockIdx.z * OH + first) * OW + column;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        const int y = top + o * S;
        if (first + o < OH) {
            result[(size_t)o * OW] = sums[o] / (columns * (min(y + WINDOW, H) - max(y, 0)));
        }
    }
}

template <int WINDOW>
void launch(const float* input, float* output, int C, int H, int W, int S, int P, int OH, int OW) {
    const long long outputs = (long long)C * OH * OW;
    if (WINDOW == 2 && S == 2 && P == 0 && W % 4 == 0 && H % 2 == 0) {
        pool_twos<<<(unsigned)((outputs / 2 + BLOCK - 1) / BLOCK), BLOCK>>>(input, output, W, outputs / 2);
    } else if (S >= WINDOW) {
        pool_apart<WINDOW><<<(unsigned)((outputs + BLOCK - 1) / BLOCK), BLOCK>>>(input, output, H, W, S, P, OH, OW, outputs);
    } else {
        const dim3 grid((OW + COLUMNS - 1) / COLUMNS, (OH + ROWS * OUTPUTS - 1) / (ROWS * OUTPUTS), C);
        pool<WINDOW><<<grid, dim3(COLUMNS, ROWS)>>>(input, output, H, W, S, P, OH, OW);
    }
}

extern "C" void solve(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH, int OW) {
    switch (K) {
        case 2: launch<2>(input, output, C, H, W, S, P, OH, OW); break;
        case 3: launch<3>(input, output, C, H, W, S, P, OH, OW); break;
        case 4: launch<4>(input, output, C, H, W, S, P, OH, OW); break;
        case 5: launch<5>(input, output, C, H, W, S, P, OH, OW); break;
        case 6: launch<6>(input, output, C, H, W, S, P, OH, OW); break;
        case 7: launch<7>(input, output, C, H, W, S, P, OH, OW); break;
        default: launch<8>(input, output, C, H, W, S, P, OH, OW);
    }
}
