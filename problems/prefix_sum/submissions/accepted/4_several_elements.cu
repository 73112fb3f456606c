// expect: accepted
//
// Prefix sum, step 4: eight elements a thread.
//
// Added to step 3: a thread adds up eight neighbouring elements in registers, and only the threads' sums are scanned:
// an eighth of the shuffles and barriers. Eight neighbouring elements a thread would be read with gaps between the
// threads, so the block moves its piece through shared memory, coalesced on the side of global memory. One float of
// padding after every 32 keeps the threads' eights in different banks. Rows of up to 256 have two elements a thread.

#define BLOCK 128

constexpr int WARPS = BLOCK / 32;

__device__ __forceinline__ int padded(int index) { return index + index / 32; }

// Scans a row in pieces of ITEMS elements a thread.
template <int ITEMS>
__device__ __forceinline__ void scan_row(const float* __restrict__ row, float* __restrict__ sums, int N) {
    constexpr int PIECE = BLOCK * ITEMS;
    __shared__ float piece[PIECE + PIECE / 32];
    __shared__ float warp_sums[WARPS];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    float carry = 0.0f;

    for (int start = 0; start < N; start += PIECE) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int e = i * BLOCK + threadIdx.x;
            piece[padded(e)] = start + e < N ? row[start + e] : 0.0f;
        }
        __syncthreads();

        float items[ITEMS];
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            sum += piece[padded(threadIdx.x * ITEMS + i)];
            items[i] = sum;
        }

        float scan = sum;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const float left = __shfl_up_sync(0xffffffffu, scan, distance);
            scan += lane >= distance ? left : 0.0f;
        }
        if (lane == 31) {
            warp_sums[warp] = scan;
        }
        // The scan without the thread's own elements: what the lane below has.
        float before = __shfl_up_sync(0xffffffffu, scan, 1);
        before = lane == 0 ? 0.0f : before;
        __syncthreads();

        float all = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            before += w < warp ? warp_sums[w] : 0.0f;
            all += warp_sums[w];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            piece[padded(threadIdx.x * ITEMS + i)] = carry + (before + items[i]);
        }
        carry += all;
        __syncthreads();

#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int e = i * BLOCK + threadIdx.x;
            if (start + e < N) {
                sums[start + e] = piece[padded(e)];
            }
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(BLOCK)
    prefix_sum_kernel(const float* __restrict__ input, float* __restrict__ output, int M, int N) {
    const size_t first = (size_t)blockIdx.x * N;
    // Of eight a thread, a short row would leave most threads nothing.
    if (N <= 2 * BLOCK) {
        scan_row<2>(input + first, output + first, N);
    } else {
        scan_row<8>(input + first, output + first, N);
    }
}
