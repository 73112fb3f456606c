// expect: compile_error
//
// Zip whose solve() leaves out an array.
//
// The student adds in place, into B. The grader calls solve() with all of the problem's parameters, in their order.

__global__ void vector_add(const float* A, float* B, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        B[i] += A[i];
    }
}

extern "C" void solve(const float* A, float* B, int N) {  // <- here
    vector_add<<<(N + 255) / 256, 256>>>(A, B, N);
}
