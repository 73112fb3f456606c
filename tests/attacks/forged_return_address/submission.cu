// expect: runtime_error illegal_instruction | runtime_error out_of_bounds | runtime_error misaligned
// on gpu: runtime_error | time_limit_exceeded | wrong_answer | accepted
// problem: zip
// row: emulator
//
// A recursive function writes over what lies on its stack below its own variables: in an emulator that keeps the way
// back there, the address at which it goes on.

__device__ __noinline__ int descend(int n, volatile int* outer) {
    volatile int own[4];
    own[0] = n;
    if (n <= 0) {
        for (int k = 1; k < 24; ++k) own[-k] = -123456789;
        return 1;
    }
    int below = descend(n - 1, own) + descend(n - 2, own);
    return below + own[0] + (outer ? outer[0] : 0);
}

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = descend(6, nullptr);
    if (i < N) output[i] = a[i] + b[i] + (x == -1 ? 1.0f : 0.0f);
}
