// expect: runtime_error out_of_bounds
//
// Segmented scan that looks for the end of each segment, one thread for each head.
//
// The last segment has no head behind it: the loop runs beyond the array.

#define BLOCK 1024

__global__ void segmented_scan_kernel(const int* input, const int* heads, int* output, int N) {
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        if (i == 0 || heads[i]) {
            int sum = 0;
            int k = i;
            do {
                sum += input[k];
                output[k] = sum;
                k++;
            } while (heads[k] == 0);  // <- here
        }
    }
}
