// expect: accepted
//
// Histogram of floats, step 1: bisection in memory, atomics in memory.
//
// The search asks how many edges are not above x. 0 of them: x lies below. All of them: above. For NaN no comparison is
// true, so it has to be asked for.

__global__ void histogram_floats_kernel(const float* input, const float* edges, int* histogram, int* outside, int N,
                                        int BINS) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        float x = input[i];
        int low = 0;
        int high = BINS + 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (edges[middle] <= x) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (x != x) {
            atomicAdd(&outside[2], 1);
        } else if (low == 0) {
            atomicAdd(&outside[0], 1);
        } else if (low == BINS + 1) {
            atomicAdd(&outside[1], 1);
        } else {
            atomicAdd(&histogram[low - 1], 1);
        }
    }
}
