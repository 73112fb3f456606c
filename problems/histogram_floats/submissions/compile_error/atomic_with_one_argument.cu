// expect: compile_error
//
// Histogram of floats with an atomic that is not told what to add.
//
// There is atomicInc for counting, but it takes a limit; atomicAdd takes the number to add.

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
            atomicAdd(&histogram[low - 1]);  // <- here
        }
    }
}
