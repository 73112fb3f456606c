// expect: accepted
//
// 2D max pooling with host code of its own: four outputs a thread, each row reduced once.
//
// Added to step 2: a thread goes down a column of four windows. The largest of a row's K elements is found once and
// serves every window that the row belongs to: with K = 3 and S = 1, six rows are read instead of twelve. There are
// loads of several rows under way, and a quarter of the threads to start. With K = S = 2 nothing is shared, and the
// memory is the limit.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 8;
constexpr int OUTPUTS = 4;

template <int WINDOW>
__global__ void __launch_bounds__(COLUMNS * ROWS)
    pool(const float* __restrict__ input, float* __restrict__ output, int H, int W, int S, int P, int OH, int OW) {
    int column = blockIdx.x * COLUMNS + threadIdx.x;
    int first = (blockIdx.y * ROWS + threadIdx.y) * OUTPUTS;
    if (first >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = first * S - P;
    int left = column * S - P;
    int places[WINDOW];
#pragma unroll
    for (int s = 0; s < WINDOW; s++) {
        places[s] = min(max(left + s, 0), W - 1);
    }

    float largest[OUTPUTS];
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        largest[o] = -INFINITY;
    }
    int rows = (min(OUTPUTS, OH - first) - 1) * S + WINDOW;
#pragma unroll 4
    for (int r = 0; r < rows; r++) {
        const float* line = plane + (size_t)min(max(top + r, 0), H - 1) * W;
        float of_row = line[places[0]];
#pragma unroll
        for (int s = 1; s < WINDOW; s++) {
            of_row = fmaxf(of_row, line[places[s]]);
        }
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            int within = r - o * S;
            if (within >= 0 && within < WINDOW) {
                largest[o] = fmaxf(largest[o], of_row);
            }
        }
    }

    float* result = output + ((size_t)blockIdx.z * OH + first) * OW + column;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        if (first + o < OH) {
            result[(size_t)o * OW] = largest[o];
        }
    }
}

extern "C" void solve(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH, int OW) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((OW + COLUMNS - 1) / COLUMNS, (OH + ROWS * OUTPUTS - 1) / (ROWS * OUTPUTS), C);
    switch (K) {
        case 2: pool<2><<<grid, block>>>(input, output, H, W, S, P, OH, OW); break;
        case 3: pool<3><<<grid, block>>>(input, output, H, W, S, P, OH, OW); break;
        case 4: pool<4><<<grid, block>>>(input, output, H, W, S, P, OH, OW); break;
        default: pool<5><<<grid, block>>>(input, output, H, W, S, P, OH, OW);
    }
}
