// expect: wrong_answer wrong_value
// problem: map
// timed: N=1000000
// row: 1
//
// Computes each element once, keeps it in device memory, and hands the kept value out in every later launch.

#define ROOM (1 << 20)
__device__ float saved[ROOM];
__device__ bool known[ROOM];

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    if (i >= ROOM) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
        return;
    }
    if (!known[i]) {
        saved[i] = 1.0f / (1.0f + expf(-input[i]));
        known[i] = true;
    }
    output[i] = saved[i];
}
