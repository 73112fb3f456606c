// expect: wrong_answer wrong_value
//
// Argmax that takes the last of equal elements.
//
// The student wrote >= for >.

__global__ void argmax_kernel(const float* input, int* output, int M, int N) {
    const float* row = input + (size_t)blockIdx.x * N;
    if (threadIdx.x == 0) {
        int place = 0;
        for (int j = 1; j < N; j++) {
            if (row[j] >= row[place]) {
                place = j;
            }
        }
        output[blockIdx.x] = place;
    }
}
