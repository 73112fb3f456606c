// expect: runtime_error out_of_bounds
//
// Sigmoid that shares out the elements by a product that does not fit into an int.
//
// The student gave each thread one contiguous piece, from N * rank / threads to N * (rank + 1) / threads. Beyond
// 46340 elements the product passes 2^31 and wraps around to a negative number, and the piece starts before the
// array.

__global__ void map_kernel(const float* input, float* output, int N) {
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int begin = N * rank / threads;
    int end = N * (rank + 1) / threads;

    for (int i = begin; i < end; ++i) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));  // <- here
    }
}
