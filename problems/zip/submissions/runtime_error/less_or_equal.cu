// expect: runtime_error out_of_bounds
//
// Vector addition whose guard lets one thread too many pass.
//
// The student wrote <= for <. Thread N reads a[N], one past the last element.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= N) {
        output[i] = a[i] + b[i];  // <- here
    }
}
