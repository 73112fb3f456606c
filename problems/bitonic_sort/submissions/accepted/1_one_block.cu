// expect: accepted
//
// Bitonic sort, step 1: one block goes through the pairs of each step.
//
// A step's pairs do not overlap, so the threads share them without any order; a barrier ends the step. All of it
// happens in global memory, on one of more than a hundred multiprocessors.

#define BLOCK 1024

__global__ void bitonic_sort_kernel(const float* input, float* output, int N) {
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        output[i] = input[i];
    }
    __syncthreads();
    for (int length = 2; length / 2 < N; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            for (int pair = threadIdx.x;; pair += BLOCK) {
                int low = pair / distance * (2 * distance) + pair % distance;
                int high = distance == length / 2 ? low ^ (length - 1) : low + distance;
                if (low >= N) {
                    break;
                }
                if (high < N && output[low] > output[high]) {
                    float larger = output[low];
                    output[low] = output[high];
                    output[high] = larger;
                }
            }
            __syncthreads();
        }
    }
}
