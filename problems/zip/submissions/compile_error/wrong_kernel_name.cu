// expect: compile_error
//
// Vector addition under another name.
//
// The student used the name that every CUDA tutorial uses. The grader looks for the name that the statement gives.

__global__ void vector_add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = a[i] + b[i];
    }
}
