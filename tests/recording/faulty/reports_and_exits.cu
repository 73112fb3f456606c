// expect: runtime_error launch_failure
// says: the launch fails with 'invalid argument' (cudaErrorInvalidValue): 65536 bytes of dynamic shared memory beside 0 static ones; this kernel may have 49152 until cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) allows more
// prints: CUDA error: invalid argument
#include <cstdio>
#include <cstdlib>

__global__ void copy(const float* A, float* C, int N) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < N; i += blockDim.x) tile[i] = A[i];
    for (int i = threadIdx.x; i < N; i += blockDim.x) C[i] = tile[i];
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    copy<<<1, 256, 64 << 10>>>(A, C, N);  // <- here
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
