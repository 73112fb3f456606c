// problem: reduce
// expect: accepted
// sizes: N=1 N=1000
//
// The host asks after each round how many partial sums are left, as algorithms do that run until nothing changes.

__global__ void add_pairs(const float* from, float* to, const int* count, int* next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, left = *count;
    if (i < (left + 1) / 2) to[i] = 2 * i + 1 < left ? from[2 * i] + from[2 * i + 1] : from[2 * i];
    if (i == 0) *next = (left + 1) / 2;
}

extern "C" void solve(const float* input, float* output, int N) {
    float* sums[2];
    int *counts, left = N, turn = 0;
    for (float*& each : sums) cudaMalloc(&each, N * sizeof(float));
    cudaMalloc(&counts, 2 * sizeof(int));
    cudaMemcpy(sums[0], input, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(counts, &N, sizeof(int), cudaMemcpyHostToDevice);
    while (left > 1) {
        add_pairs<<<(left + 127) / 128, 128>>>(sums[turn], sums[1 - turn], counts + turn, counts + 1 - turn);
        turn = 1 - turn;
        cudaMemcpy(&left, counts + turn, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(output, sums[turn], sizeof(float), cudaMemcpyDeviceToDevice);
    for (float* each : sums) cudaFree(each);
    cudaFree(counts);
}
