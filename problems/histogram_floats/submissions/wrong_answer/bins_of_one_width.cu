// expect: wrong_answer wrong_value
//
// Histogram of floats that computes the bin instead of searching for it.
//
// That is right where all bins have the same width, and nothing rounds.

__global__ void histogram_floats_kernel(const float* input, const float* edges, int* histogram, int* outside, int N,
                                        int BINS) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        float x = input[i];
        int low = 0;
        if (x >= edges[BINS]) {
            low = BINS + 1;
        } else if (x >= edges[0]) {
            low = 1 + min((int)((x - edges[0]) / (edges[BINS] - edges[0]) * BINS), BINS - 1);
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
