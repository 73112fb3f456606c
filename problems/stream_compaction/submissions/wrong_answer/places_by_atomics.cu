// expect: wrong_answer wrong_value
//
// Stream compaction that hands out places by atomicAdd.
//
// The elements are all there, in any order.

#define BLOCK 256

__global__ void compaction_kernel(const float* input, float* output, int* count, int N) {
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        int from_behind = N - 1 - i;
        if (input[from_behind] > 0) {
            output[atomicAdd(count, 1)] = input[from_behind];
        }
    }
}
