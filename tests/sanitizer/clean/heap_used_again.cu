// A thread gets and gives back far more memory than the heap has; blocks of other sizes stay meanwhile.
// launch: 8 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int* kept = new int[1 + i % 5];
    kept[i % 5] = i;
    float sum = 0;
    for (int round = 0; round < 12; ++round) {
        int size = 60 + (i + round) % 90;
        float* own = static_cast<float*>(malloc(size * sizeof(float)));
        if (!own) __trap();
        for (int j = 0; j < size; j += 7) own[j] = in[i] + j;
        for (int j = 0; j < size; j += 7) sum += own[j];
        free(own);
    }
    out[i] = sum + kept[i % 5];
    delete[] kept;
    free(nullptr);
}
