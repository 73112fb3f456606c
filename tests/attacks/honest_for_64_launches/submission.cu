// expect: wrong_answer wrong_value
// problem: map
// needs: gpu
// timed: N=1000000
// row: 4
//
// Counts its launches, does the work in the first 64, more than a grading checks one by one, and then nothing. Outputs
// are poisoned before each timed replay, and those of replays that nobody knows beforehand are checked.

__device__ volatile unsigned launches;

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && launches < 64) output[i] = 1.0f / (1.0f + expf(-input[i]));
    if (i == 0) launches = launches + 1;
}
