// expect: compile_error
// problem: zip
// row: emulator
//
// Marks of a comment, cut in two by splices.
/\
* a *\
/ #include "/etc/passwd"
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
