// expect: runtime_error out_of_bounds
//
// Vector addition with a signed index of 16 bits.
//
// The student saved registers with a short. After 32767 comes -32768, which passes the guard i < N, and the read
// goes far before the start of the array.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    short i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = a[i] + b[i];  // <- here
    }
}
