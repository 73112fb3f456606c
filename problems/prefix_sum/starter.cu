// Prefix sum: output[i][j] = input[i][0] + ... + input[i][j] in every row i of an M x N matrix, row-major, fp32.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    const float* row = input + blockIdx.x * N;
    float* sums = output + blockIdx.x * N;

    // The sum of all pieces of the row that are done.
    float carry = 0.0f;

    // A row may be longer than the block: the block takes it in pieces of BLOCK elements.
    for (int start = 0; start < N; start += BLOCK) {
        int j = start + threadIdx.x;
        float value = j < N ? row[j] : 0.0f;

        // Your turn: add up the values of the threads 0 ... threadIdx.x of this block, and the carry, and store the
        // result in sums[j] where j < N. Then add the sum of the whole piece to the carry.
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int M, int N) {
    prefix_sum_kernel<<<M, BLOCK>>>(input, output, M, N);
}
