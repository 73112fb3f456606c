// expect: runtime_error data_race
//
// Histogram of floats without a barrier before the copies are added up.
//
// A thread reads counts that others still add to.

#define BLOCK 256
#define MOST 2048

__global__ void histogram_floats_kernel(const float* input, const float* edges, int* histogram, int* outside, int N,
                                        int BINS) {
    __shared__ float own_edges[MOST + 1];
    __shared__ int counts[MOST + 3];  // below, the bins, above, NaN
    for (int k = threadIdx.x; k < BINS + 3; k += BLOCK) {
        counts[k] = 0;
    }
    for (int k = threadIdx.x; k < BINS + 1; k += BLOCK) {
        own_edges[k] = edges[k];
    }
    __syncthreads();

    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        float x = input[i];
        int low = 0;
        int high = BINS + 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (own_edges[middle] <= x) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        atomicAdd(&counts[isnan(x) ? BINS + 2 : low], 1);
    }

    for (int k = threadIdx.x; k < BINS + 3; k += BLOCK) {
        if (counts[k] > 0) {
            int* total = k == 0 ? &outside[0] : k > BINS ? &outside[k - BINS] : &histogram[k - 1];
            atomicAdd(total, counts[k]);
        }
    }
}
