// problem: reduce
// expect: accepted
// sizes: N=1 N=1000
//
// A __device__ variable, by its address and by its name.

__device__ float total;
__device__ int rounds;

__global__ void sum(const float* input, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(&total, input[i]);
    if (i == 0) rounds += 1;
}

extern "C" void solve(const float* input, float* output, int N) {
    float* address;
    size_t size;
    int zero = 0, seen = -1;
    cudaGetSymbolAddress((void**)&address, total);
    cudaGetSymbolSize(&size, total);
    cudaMemset(address, 0, size);
    cudaMemcpyToSymbol(rounds, &zero, sizeof(int));
    sum<<<(N + 127) / 128, 128>>>(input, N);
    cudaMemcpyFromSymbol(&seen, rounds, sizeof(int));
    if (seen == 1) cudaMemcpyFromSymbol(output, total, sizeof(float), 0, cudaMemcpyDeviceToDevice);
}
