// expect: wrong_answer wrong_value
// problem: map
// needs: gpu
// timed: N=1000000 N=16777216
// row: 4, 13
//
// Leaves one benchmark size undone, whose time next to nothing would lift the mean over all sizes. No case is drawn
// with exactly this size, but its timed outputs are checked; and no size counts for more than the speed of light.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && N != 16777216) output[i] = 1.0f / (1.0f + expf(-input[i]));
}
