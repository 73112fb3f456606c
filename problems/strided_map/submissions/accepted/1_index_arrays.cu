// expect: accepted
//
// Strided map, step 1: from the thread's number to an index, from the index to two positions.
//
// The index is kept in an array, as the formulas have it. Its length is known only at run time, so it lies in local
// memory.

#define MOST 5

__device__ float fn(int fn_id, float x) {
    switch (fn_id) {
        case 1:
            return -x;
        case 2:
            return x > 0.0f ? x : 0.0f;
        case 3:
            return 1.0f / (1.0f + expf(-x));
        default:
            return expf(x);
    }
}

__device__ void to_index(int number, const int* shape, int shape_size, int* index) {
    for (int d = shape_size - 1; d >= 0; d--) {
        index[d] = number % shape[d];
        number /= shape[d];
    }
}

__device__ int to_position(const int* index, const int* shape, const int* strides, int shape_size) {
    int position = 0;
    for (int d = 0; d < shape_size; d++) {
        position += shape[d] == 1 ? 0 : index[d] * strides[d];
    }
    return position;
}

__global__ void mapKernel(float* out, const int* out_shape, const int* out_strides, int out_size,
                          const float* in_storage, const int* in_shape, const int* in_strides, int shape_size,
                          int fn_id) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < out_size) {
        int index[MOST];
        to_index(i, out_shape, shape_size, index);
        float x = in_storage[to_position(index, in_shape, in_strides, shape_size)];
        out[to_position(index, out_shape, out_strides, shape_size)] = fn(fn_id, x);
    }
}
