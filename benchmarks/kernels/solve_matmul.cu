#include <cuda_runtime.h>
__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int r = blockIdx.y*blockDim.y+threadIdx.y, c = blockIdx.x*blockDim.x+threadIdx.x;
    if (r<M && c<K) { float s=0; for(int i=0;i<N;i++) s+=A[r*N+i]*B[i*K+c]; C[r*K+c]=s; }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 threadsPerBlock(16, 16);
    dim3 blocksPerGrid((K + 15) / 16, (M + 15) / 16);
    matrix_multiplication_kernel<<<blocksPerGrid, threadsPerBlock>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
