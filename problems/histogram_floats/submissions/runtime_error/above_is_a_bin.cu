// expect: runtime_error out_of_bounds
//
// Histogram of floats that has no place for what lies above.
//
// What is not below the last edge would be in bin BINS, behind the last one.

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
        } else {
            atomicAdd(&histogram[low - 1], 1);  // <- here
        }
    }
}
