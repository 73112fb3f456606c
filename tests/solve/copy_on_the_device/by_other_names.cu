// problem: reduce
// expect: accepted
// sizes: N=1 N=1000
//
// Copies within the device that are called copies from and to the host: addresses are unified, and tell by themselves.

__constant__ float weight;
__device__ float result;

__global__ void sum(const float* input, float* total, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(total, weight * input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    float *copied, *total, one = 1;
    cudaMalloc(&copied, (N + 1) * sizeof(float));
    total = copied + N;
    cudaMemset(total, 0, sizeof(float));
    cudaMemcpy(output, &one, sizeof(float), cudaMemcpyDefault);
    cudaMemcpyToSymbol(weight, output, sizeof(float));
    cudaMemcpy(copied, input, N * sizeof(float), cudaMemcpyHostToDevice);
    sum<<<(N + 127) / 128, 128>>>(copied, total, N);
    cudaMemcpyToSymbol(result, total, sizeof(float), 0, cudaMemcpyHostToDevice);
    void* place;
    cudaGetSymbolAddress(&place, result);
    cudaMemcpy2D(output, sizeof(float), place, sizeof(float), sizeof(float), 1, cudaMemcpyDeviceToHost);
    cudaFree(copied);
}
