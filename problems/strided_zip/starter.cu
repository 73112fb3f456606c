// Strided zip: out[...] = fn(a_storage[...], b_storage[...]) for every index of out_shape, each with its own strides.
//
// The kernel gets at least one thread for each element of the output, in blocks of BLOCK threads. You may change the
// number: any constant expression up to 1024.
#define BLOCK 256

__device__ float fn(int fn_id, float a, float b) {
    switch (fn_id) {
        case 1:
            return a + b;
        // Your turn: 2 is the product, 3 the larger one, 4 whether a is less than b.
        default:
            return a;
    }
}

__global__ void zipKernel(float* out, const int* out_shape, const int* out_strides, int out_size,
                          const float* a_storage, const int* a_shape, const int* a_strides, const float* b_storage,
                          const int* b_shape, const int* b_strides, int shape_size, int fn_id) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < out_size) {
        int to = 0;
        int from_a = 0;
        int from_b = 0;
        // Your turn: the last dimension's index is i % out_shape[shape_size - 1], and i / out_shape[shape_size - 1] is
        // left for the other dimensions. Multiply each index by the strides. A dimension of length 1 has index 0.
        out[to] = fn(fn_id, a_storage[from_a], b_storage[from_b]);
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(float* out, const int* out_shape, const int* out_strides, int out_size, const float* a_storage,
                      const int* a_shape, const int* a_strides, const float* b_storage, const int* b_shape,
                      const int* b_strides, int shape_size, int fn_id) {
    int blocks = (out_size + BLOCK - 1) / BLOCK;
    zipKernel<<<blocks, BLOCK>>>(out, out_shape, out_strides, out_size, a_storage, a_shape, a_strides, b_storage,
                                 b_shape, b_strides, shape_size, fn_id);
}
