// problem: reduce
// expect: runtime_error launch_failure
// sizes: N=1000
// says: cudaMemcpy() fails with 'invalid argument'
//
// cudaMemcpyDeviceToDevice from a variable of the host.

__global__ void sum(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    float zero = 0;
    cudaMemcpy(output, &zero, sizeof(float), cudaMemcpyDeviceToDevice);  // <- here
    sum<<<(N + 127) / 128, 128>>>(input, output, N);
}
