// expect: wrong_answer wrong_value
//
// Edit distance that counts the places where the letters differ.
//
// An inserted letter moves all those behind it.

#define BLOCK 32

__global__ void edit_distance_kernel(const unsigned char* a, const unsigned char* b, int* distance, int PAIRS, int N,
                                     int M) {
    int count = 0;
    for (int i = threadIdx.x; i < max(N, M); i += BLOCK) {
        bool equal = i < N && i < M && a[(size_t)blockIdx.x * N + i] == b[(size_t)blockIdx.x * M + i];
        count += !equal;
    }
    for (int step = 16; step > 0; step /= 2) {
        count += __shfl_down_sync(0xffffffffu, count, step);
    }
    if (threadIdx.x == 0) {
        distance[blockIdx.x] = count;
    }
}
