// problem: zip
// expect: rejected
// sizes: N=100
// says: computes with them there, and hands the device what comes of it
//
// One pair of elements after another comes to the host by way of one place, each sum goes back by a copy of its own.

__global__ void pick(const float* a, const float* b, float* pair, int i) {
    pair[0] = a[i];
    pair[1] = b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    float *pair, both[2];
    cudaMalloc(&pair, sizeof both);
    for (int i = 0; i < N; i++) {
        pick<<<1, 1>>>(a, b, pair, i);
        cudaMemcpy(both, pair, sizeof both, cudaMemcpyDeviceToHost);
        float sum = both[0] + both[1];
        cudaMemcpy(output + i, &sum, sizeof sum, cudaMemcpyHostToDevice);
    }
    cudaFree(pair);
}
