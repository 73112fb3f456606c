// expect: runtime_error out_of_bounds
// on gpu: wrong_answer | runtime_error
// problem: reduce
// row: 6, 22
//
// Walks through the address space in steps of 2 MB after anything that is no NaN.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (int step = 1; step < 4096; ++step) {
        float found = *(const float*)((const char*)output + (long long)step * (2 << 20));  // <- here
        if (found == found && found != 0.0f) {
            output[0] = found;
            return;
        }
    }
}
