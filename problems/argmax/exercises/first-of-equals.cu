#define BLOCK 256

__global__ void argmax_kernel(const float* input, int* output, int M, int N) {
    __shared__ float values[BLOCK];
    __shared__ int places[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    float largest = -INFINITY;
    int place = N;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        if (row[j] > largest) {
            largest = row[j];
            place = j;
        }
    }
    int t = threadIdx.x;
    values[t] = largest;
    places[t] = place;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            bool larger = values[t + half] > values[t];
            bool first = values[t + half] == values[t] && places[t + half] < places[t];
            if (larger) {
                values[t] = values[t + half];
                places[t] = places[t + half];
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        output[blockIdx.x] = places[0];
    }
}
