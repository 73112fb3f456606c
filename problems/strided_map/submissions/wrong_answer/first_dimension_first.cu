// expect: wrong_answer wrong_value
//
// Strided map whose index begins with the first dimension.
//
// Any order of counting visits every index once, so that this alone is right. But the student kept the last
// dimension's index in the wrong place.

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
        index[shape_size - 1 - d] = number % shape[d];
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
        float x = in_storage[(unsigned)to_position(index, in_shape, in_strides, shape_size) % out_size];
        to_index(i, out_shape, shape_size, index);
        out[i] = fn(fn_id, x);
    }
}
