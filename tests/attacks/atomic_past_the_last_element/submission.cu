// expect: runtime_error out_of_bounds
// on gpu: runtime_error | accepted | wrong_answer
// problem: zip
// row: emulator
//
// Adds atomically, and with a vector of atomics of 64 bits, past the end of the output, where only half of what is
// accessed is inside.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
    if (i == N - 1) atomicAdd((unsigned long long*)(((unsigned long long)(output + N - 1) + 8) & ~7ull), 0ull);  // <- here
}
