// expect: runtime_error out_of_bounds
//
// Vector addition with two elements a thread and a guard for one.
//
// The student let each thread add two neighbouring elements but checked the first of them only. When N is odd, the
// last pair has no second element.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N) {
        output[i] = a[i] + b[i];
        output[i + 1] = a[i + 1] + b[i + 1];  // <- here
    }
}
