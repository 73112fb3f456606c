// expect: wrong_answer wrong_value
//
// Strided reduce over the last dimension.
//
// The student tested matrices, reduced along their rows.

__device__ float fn(int fn_id, float x, float y) {
    return fn_id == 1 ? x + y : fn_id == 2 ? fmaxf(x, y) : fminf(x, y);
}

__global__ void reduceKernel(float* out, const int* out_shape, const int* out_strides, int out_size,
                             const float* a_storage, const int* a_shape, const int* a_strides, int reduce_dim,
                             int reduce_size, int shape_size, int fn_id) {
    if (threadIdx.x > 0) {
        return;
    }
    int left = blockIdx.x;
    int to = 0;
    int from = 0;
    for (int d = shape_size - 1; d >= 0; d--) {
        int index = left % out_shape[d];
        left /= out_shape[d];
        to += index * out_strides[d];
        from += index * a_strides[d];
    }
    float result = a_storage[from];
    long long size = 1LL * out_size * reduce_size;
    for (int k = 1; k < reduce_size; k++) {
        result = fn(fn_id, result, a_storage[(from + 1LL * k * a_strides[shape_size - 1]) % size]);
    }
    out[to] = result;
}
