// expect: runtime_error out_of_bounds
//
// COO to CSR whose last thread looks at the entry behind it.
//
// Behind the piece there is none.

#define BLOCK 1024
#define ALL 0xffffffffu

__device__ __forceinline__ int scan_of_warp(int sum) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(ALL, sum, distance);
        sum += (threadIdx.x & 31) >= distance ? left : 0;
    }
    return sum;
}

__global__ void __launch_bounds__(BLOCK)
    coo_to_csr_kernel(const int* __restrict__ rows, const int* __restrict__ columns, const float* __restrict__ values,
                      int* offsets, int* __restrict__ sorted_columns, float* __restrict__ sorted_values, int M, int N,
                      int NNZ) {
    __shared__ int sums[32];
    __shared__ unsigned sorted[BLOCK];
    const int t = threadIdx.x;
    const int lane = t % 32;
    for (int i = t; i < NNZ; i += BLOCK) {
        atomicAdd(&offsets[rows[i] + 1], 1);
    }
    __syncthreads();

    int carry = 0;
    for (int start = 1; start <= M; start += BLOCK) {
        const int own = start + t <= M ? offsets[start + t] : 0;
        const int in_warp = scan_of_warp(own);
        if (lane == 31) {
            sums[t / 32] = in_warp;
        }
        __syncthreads();
        const int of_warps = scan_of_warp(sums[lane]);
        const int before = __shfl_sync(ALL, of_warps, (t / 32 + 31) % 32);
        if (start + t <= M) {
            offsets[start + t] = carry + (t < 32 ? 0 : before) + in_warp - own;
        }
        carry += __shfl_sync(ALL, of_warps, 31);
        __syncthreads();
    }

    for (int start = 0; start < NNZ; start += BLOCK) {
        // What lies behind the end has the largest key.
        unsigned key = start + t < NNZ ? (unsigned)rows[start + t] << 10 | t : ~0u;
        for (int size = 2; size <= BLOCK; size *= 2) {
            for (int distance = size / 2; distance > 0; distance /= 2) {
                unsigned other;
                if (distance < 32) {
                    other = __shfl_xor_sync(ALL, key, distance);
                } else {
                    sorted[t] = key;
                    __syncthreads();
                    other = sorted[t ^ distance];
                    __syncthreads();
                }
                const bool upwards = (t & size) == 0;
                const bool low = (t & distance) == 0;
                key = upwards == low ? min(key, other) : max(key, other);
            }
        }
        sorted[t] = key;
        __syncthreads();

        // The first of the row: the least place whose key is not below that of the row's first entry.
        const int row = key >> 10;
        const unsigned least = key & ~1023u;
        int first = 0;
        for (int step = BLOCK / 2; step > 0; step /= 2) {
            first += sorted[first + step - 1] < least ? step : 0;
        }
        const bool inside = start + t < NNZ;
        const int place = inside ? offsets[row + 1] + t - first : 0;
        if (inside) {
            const int from = start + (key & 1023);
            sorted_columns[place] = columns[from];
            sorted_values[place] = values[from];
        }
        const bool last = sorted[t + 1] >> 10 != row;  // <- here
        // All have read the place of their row before it moves on.
        __syncthreads();
        if (inside && last) {
            offsets[row + 1] = place + 1;
        }
    }
}
