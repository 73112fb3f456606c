// expect: wrong_answer wrong_value
//
// Strided reduce that takes -10^30 for less than any number, and 10^30 for more.
//
// Floats go on to 3.4 * 10^38.

#define BLOCK 256

__device__ float fn(int fn_id, float x, float y) {
    return fn_id == 1 ? x + y : fn_id == 2 ? fmaxf(x, y) : fminf(x, y);
}

__global__ void reduceKernel(float* out, const int* out_shape, const int* out_strides, int out_size,
                             const float* a_storage, const int* a_shape, const int* a_strides, int reduce_dim,
                             int reduce_size, int shape_size, int fn_id) {
    __shared__ float parts[BLOCK];
    int left = blockIdx.x;
    int to = 0;
    int from = 0;
    for (int d = shape_size - 1; d >= 0; d--) {
        int index = left % out_shape[d];
        left /= out_shape[d];
        to += index * out_strides[d];
        from += index * a_strides[d];
    }
    int step = a_strides[reduce_dim];
    float result = fn_id == 1 ? 0.0f : fn_id == 2 ? -1e30f : 1e30f;
    for (int k = threadIdx.x; k < reduce_size; k += BLOCK) {
        result = fn(fn_id, result, a_storage[from + k * step]);
    }
    parts[threadIdx.x] = result;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] = fn(fn_id, parts[threadIdx.x], parts[threadIdx.x + half]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[to] = parts[0];
    }
}
