// expect: runtime_error out_of_bounds
//
// Argmax that looks one element too far.
//
// For all rows but the last, that is the first element of the next one. For the last it is nobody's.

__global__ void argmax_kernel(const float* input, int* output, int M, int N) {
    const float* row = input + (size_t)blockIdx.x * N;
    if (threadIdx.x == 0) {
        int place = 0;
        for (int j = 1; j <= N; j++) {
            if (row[j] > row[place]) {  // <- here
                place = j;
            }
        }
        output[blockIdx.x] = place;
    }
}
