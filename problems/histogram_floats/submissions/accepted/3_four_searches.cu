// expect: accepted
//
// Histogram of floats, step 3: four searches in step, down a tree.
//
// Added to step 2: a thread loads a float4 and takes each step of the search for all four, without a branch, so that
// four reads of shared memory are under way at once. The edges lie as a tree, level by level: below k stand 2 k and
// 2 k + 1. What the lanes may ask for in one step are neighbours then, in different banks; in sorted order they would be
// a power of two apart, in one. NaN behind the last edge fills the tree: nothing is at or above it, not even infinity.
// Of four elements, those with the same place as the one before add to its count: an array of one number needs a
// quarter of the atomics.

#define BLOCK 256
#define MOST 2048

__global__ void __launch_bounds__(BLOCK)
    histogram_floats_kernel(const float* __restrict__ input, const float* __restrict__ edges, int* histogram,
                            int* outside, int N, int BINS) {
    __shared__ float tree[2 * MOST];
    __shared__ int counts[MOST + 3];  // below, the bins, above, NaN
    const int levels = 32 - __clz(BINS + 1);
    const int leaves = 1 << levels;
    for (int k = threadIdx.x; k < BINS + 3; k += BLOCK) {
        counts[k] = 0;
    }
    for (int k = threadIdx.x + 1; k < leaves; k += BLOCK) {
        const int below = __clz(k) - (32 - levels);  // how many levels
        const int edge = ((2 * k + 1) << below) - leaves - 1;
        tree[k] = edge <= BINS ? edges[edge] : __int_as_float(0x7fffffff);
    }
    __syncthreads();

    const int threads = gridDim.x * BLOCK;
    const int first = blockIdx.x * BLOCK + threadIdx.x;
    for (int i = first; i < N / 4; i += threads) {
        const float4 four = reinterpret_cast<const float4*>(input)[i];
        const float x[4] = {four.x, four.y, four.z, four.w};
        int place[4] = {1, 1, 1, 1};
        for (int level = 0; level < levels; level++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                place[k] = 2 * place[k] + (tree[place[k]] <= x[k]);
            }
        }
        int same = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            place[k] = isnan(x[k]) ? BINS + 2 : place[k] - leaves;
            if (k > 0 && place[k] != place[k - 1]) {
                atomicAdd(&counts[place[k - 1]], same);
                same = 0;
            }
            same++;
        }
        atomicAdd(&counts[place[3]], same);
    }
    for (int i = N / 4 * 4 + first; i < N; i += threads) {
        int place = 1;
        for (int level = 0; level < levels; level++) {
            place = 2 * place + (tree[place] <= input[i]);
        }
        atomicAdd(&counts[isnan(input[i]) ? BINS + 2 : place - leaves], 1);
    }
    __syncthreads();

    for (int k = threadIdx.x; k < BINS + 3; k += BLOCK) {
        if (counts[k] > 0) {
            int* total = k == 0 ? &outside[0] : k > BINS ? &outside[k - BINS] : &histogram[k - 1];
            atomicAdd(total, counts[k]);
        }
    }
}
