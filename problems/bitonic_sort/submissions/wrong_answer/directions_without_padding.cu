// expect: wrong_answer wrong_value
//
// Bitonic sort in the textbook's form, where every other run is sorted downwards.
//
// There the elements behind the end would have to move too: leaving out their pairs is right only where all pairs point
// the same way.

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
                int high = low + distance;
                bool up = (low & length) == 0;
                if (low >= N) {
                    break;
                }
                if (high < N && (output[low] > output[high]) == up) {
                    float larger = output[low];
                    output[low] = output[high];
                    output[high] = larger;
                }
            }
            __syncthreads();
        }
    }
}
