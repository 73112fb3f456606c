// expect: wrong_answer wrong_value
//
// Reduction that gives each thread an equal share of the elements and forgets the rest.
//
// The student tried sizes that are a multiple of the number of threads. N / threads rounds down: up to threads - 1
// elements at the end are nobody's, and with fewer elements than threads every share is empty.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    int share = N / (gridDim.x * blockDim.x);

    float sum = 0.0f;
    for (int i = rank * share; i < (rank + 1) * share; ++i) {
        sum += input[i];
    }
    atomicAdd(output, sum);
}
