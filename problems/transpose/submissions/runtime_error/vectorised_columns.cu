// expect: runtime_error misaligned
//
// Transpose that reads four floats of a row at once.
//
// A float4 has to begin at a multiple of 16 bytes. Where N is not a multiple of four, only every fourth row, or every
// second, begins there.

#define TILE 16
#define ROWS 16

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row >= M || column >= N || threadIdx.x % 4 != 0) {
        return;
    }
    if (column + 3 < N) {
        float4 four = *reinterpret_cast<const float4*>(input + row * N + column);  // <- here
        output[(column + 0) * M + row] = four.x;
        output[(column + 1) * M + row] = four.y;
        output[(column + 2) * M + row] = four.z;
        output[(column + 3) * M + row] = four.w;
    } else {
        for (int i = column; i < N; ++i) {
            output[i * M + row] = input[row * N + i];
        }
    }
}
