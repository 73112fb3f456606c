// expect: wrong_answer wrong_value
//
// Strided zip that takes the strides of a for both.
//
// The student copied a line and changed one name of three.

#define MOST 5

__device__ float fn(int fn_id, float a, float b) {
    switch (fn_id) {
        case 1:
            return a + b;
        case 2:
            return a * b;
        case 3:
            return a > b ? a : b;
        default:
            return a < b ? 1.0f : 0.0f;
    }
}

__device__ int to_position(const int* index, const int* shape, const int* strides, int shape_size) {
    int position = 0;
    for (int d = 0; d < shape_size; d++) {
        position += shape[d] == 1 ? 0 : index[d] * strides[d];
    }
    return position;
}

__global__ void zipKernel(float* out, const int* out_shape, const int* out_strides, int out_size,
                          const float* a_storage, const int* a_shape, const int* a_strides, const float* b_storage,
                          const int* b_shape, const int* b_strides, int shape_size, int fn_id) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < out_size) {
        int index[MOST];
        int left = i;
        for (int d = shape_size - 1; d >= 0; d--) {
            index[d] = left % out_shape[d];
            left /= out_shape[d];
        }
        float a = a_storage[to_position(index, a_shape, a_strides, shape_size)];
        float b = b_storage[to_position(index, b_shape, a_strides, shape_size) % out_size];
        out[to_position(index, out_shape, out_strides, shape_size)] = fn(fn_id, a, b);
    }
}
