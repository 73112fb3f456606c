// expect: wrong_answer wrong_value
//
// Histogram of floats whose last bin takes its upper edge too.
//
// NumPy's histogram does so. The statement does not.

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
        } else if (low == BINS + 1 && x == edges[BINS]) {
            atomicAdd(&histogram[BINS - 1], 1);
        } else if (low == BINS + 1) {
            atomicAdd(&outside[1], 1);
        } else {
            atomicAdd(&histogram[low - 1], 1);
        }
    }
}
