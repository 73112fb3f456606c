// expect: compile_error
//
// Map whose solve() can't be found.
//
// C++ writes the types of the parameters into the name that the linker sees, and the grader looks for plain "solve".
// extern "C" keeps the name as it stands.

__global__ void sigmoid_kernel(const float* X, float* Y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        Y[i] = 1.0f / (1.0f + expf(-X[i]));
    }
}

void solve(const float* X, float* Y, int N) {  // <- here
    sigmoid_kernel<<<(N + 255) / 256, 256>>>(X, Y, N);
}
