// expect: wrong_answer wrong_value
//
// Argmax whose search starts at -100.
//
// The student's rows were all closer to zero. In one that lies below, nothing is larger, and no place is ever stored.

#define BLOCK 256

__global__ void argmax_kernel(const float* input, int* output, int M, int N) {
    __shared__ float values[BLOCK];
    __shared__ int places[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    float largest = -100.0f;
    int place = N;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        if (row[j] > largest) {
            largest = row[j];
            place = j;
        }
    }
    values[threadIdx.x] = largest;
    places[threadIdx.x] = place;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < BLOCK; t++) {
            if (values[t] > largest || (values[t] == largest && places[t] < place)) {
                largest = values[t];
                place = places[t];
            }
        }
        output[blockIdx.x] = place;
    }
}
