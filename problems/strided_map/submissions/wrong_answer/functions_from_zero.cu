// expect: wrong_answer wrong_value
//
// Strided map whose functions are counted from 0.
//
// fn_id begins at 1.

__device__ float fn(int fn_id, float x) {
    switch (fn_id + 1) {
        case 1:
            return -x;
        case 2:
            return fmaxf(x, 0.0f);
        case 3:
            return 1.0f / (1.0f + expf(-x));
        default:
            return expf(x);
    }
}

__global__ void mapKernel(float* __restrict__ out, const int* __restrict__ out_shape,
                          const int* __restrict__ out_strides, int out_size, const float* __restrict__ in_storage,
                          const int* __restrict__ in_shape, const int* __restrict__ in_strides, int shape_size,
                          int fn_id) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= out_size) {
        return;
    }
    int left = i;
    int to = 0;
    int from = 0;
    for (int d = shape_size - 1; d >= 0; d--) {
        int index = left % out_shape[d];
        left /= out_shape[d];
        to += index * out_strides[d];
        from += in_shape[d] == 1 ? 0 : index * in_strides[d];
    }
    out[to] = fn(fn_id, in_storage[from]);
}
