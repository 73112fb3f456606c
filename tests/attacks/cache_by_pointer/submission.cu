// expect: wrong_answer wrong_value
// on gpu: accepted
// problem: zip
// timed: N=1000000
// row: 2
//
// Remembers the sums under the addresses of the arrays: buffers that are used again are taken for old ones. On a GPU each
// case loads the module anew, and timed launches go round many buffers: it never finds what it kept, and adds each time.

#define ROOM (1 << 18)
__device__ unsigned long long keys[ROOM];
__device__ float saved[ROOM];

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    if (i >= ROOM) {
        output[i] = a[i] + b[i];
        return;
    }
    unsigned long long key = (unsigned long long)a * 31 + (unsigned long long)b * 7 + (unsigned long long)output;
    if (keys[i] != key) {
        saved[i] = a[i] + b[i];
        keys[i] = key;
    }
    output[i] = saved[i];
}
