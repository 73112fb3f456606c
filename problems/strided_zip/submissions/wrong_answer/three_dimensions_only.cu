// expect: wrong_answer unwritten_output
//
// Strided zip for up to three dimensions.
//
// The first of four or five dimensions are never visited.

__device__ float fn(int fn_id, float a, float b) {
    switch (fn_id) {
        case 1:
            return a + b;
        case 2:
            return a * b;
        case 3:
            return fmaxf(a, b);
        default:
            return a < b;
    }
}

__global__ void zipKernel(float* __restrict__ out, const int* __restrict__ out_shape,
                          const int* __restrict__ out_strides, int out_size, const float* __restrict__ a_storage,
                          const int* __restrict__ a_shape, const int* __restrict__ a_strides,
                          const float* __restrict__ b_storage, const int* __restrict__ b_shape,
                          const int* __restrict__ b_strides, int shape_size, int fn_id) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= out_size) {
        return;
    }
    int left = i;
    int to = 0;
    int from_a = 0;
    int from_b = 0;
    for (int d = shape_size - 1; d >= max(shape_size - 3, 0); d--) {
        int index = left % out_shape[d];
        left /= out_shape[d];
        to += index * out_strides[d];
        from_a += a_shape[d] == 1 ? 0 : index * a_strides[d];
        from_b += b_shape[d] == 1 ? 0 : index * b_strides[d];
    }
    out[to] = fn(fn_id, a_storage[from_a], b_storage[from_b]);
}
