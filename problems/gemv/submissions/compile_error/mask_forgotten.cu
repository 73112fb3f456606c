// expect: compile_error
//
// Matrix times vector whose shuffles lack their mask.
//
// Old tutorials have __shfl_down(sum, distance). The student added the _sync that CUDA asks for today, but not the
// first argument that comes with it: the mask of the lanes that take part.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < M) {
        float sum = 0.0f;
        for (int j = lane; j < N; j += 32) {
            sum += A[row * N + j] * x[j];
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(sum, distance);  // <- here
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
