// expect: memory_limit_exceeded
// on gpu: runtime_error | memory_limit_exceeded | compile_error
// problem: map
// row: emulator
//
// Asks for 64 MB of local memory a thread.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float all[1 << 24];
    for (int k = 0; k < 1 << 24; k += 4096) all[(k + i) & 0xffffff] = input[0];
    if (i < N) output[i] = all[i & 0xffffff];
}
