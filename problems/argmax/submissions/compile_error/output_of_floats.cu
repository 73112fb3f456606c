// expect: compile_error
//
// Argmax that returns its place as a float.
//
// Floats hold whole numbers up to 16,777,216 only, and the output is an array of ints.

__global__ void argmax_kernel(const float* input, float* output, int M, int N) {
    int place = 0;
    for (int j = 1; j < N; j++) {
        if (input[blockIdx.x * N + j] > input[blockIdx.x * N + place]) {
            place = j;
        }
    }
    output[blockIdx.x] = place;
}
