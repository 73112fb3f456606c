// expect: runtime_error data_race
//
// Strided map that reads its flag too early.
//
// Other warps look at the flag before the first one has set it.

__device__ float fn(int fn_id, float x) {
    switch (fn_id) {
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
    __shared__ bool alike;
    if (threadIdx.x == 0) {
        alike = true;
        for (int d = 0; d < shape_size; d++) {
            alike = alike && (out_shape[d] == 1 || (in_shape[d] > 1 && in_strides[d] == out_strides[d]));
        }
    }

    int to = blockIdx.x * blockDim.x + threadIdx.x;
    if (to >= out_size) {
        return;
    }
    int from = to;
    if (!alike) {
        from = 0;
        for (int d = 0; d < shape_size; d++) {
            if (in_shape[d] > 1) {
                from += to / out_strides[d] % out_shape[d] * in_strides[d];
            }
        }
    }
    out[to] = fn(fn_id, in_storage[from]);
}
