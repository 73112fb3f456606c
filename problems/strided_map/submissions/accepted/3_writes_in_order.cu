// expect: accepted
//
// Strided map, step 3: the thread's number is a place in the output's storage.
//
// Added to step 2: neighbouring threads write neighbouring floats, whatever the strides. The index comes from
// dividing by the output's strides: (place / stride) % length is the index along a dimension, for storages without
// gaps. Contiguous inputs of the same strides are found once a block and skip the divisions. It gains most where
// the output is transposed.

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
    __syncthreads();
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
