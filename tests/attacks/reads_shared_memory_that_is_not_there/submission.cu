// expect: runtime_error out_of_bounds
// on gpu: runtime_error
// problem: zip
// row: emulator
//
// Reads shared memory through a pointer, in a kernel that has none: an emulator that keeps a log of such reads may
// have made it for none, and chosen words would land behind it.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int lane = 0; lane < 32; ++lane)
        if ((threadIdx.x & 31) == lane) sum += *(int*)(0x1000000000ull + 0x41414140u);  // <- here
    if (i < N) output[i] = a[i] + b[i] + (sum == 12345 ? 1.0f : 0.0f);
}
