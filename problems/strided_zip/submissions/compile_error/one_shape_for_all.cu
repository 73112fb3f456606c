// expect: compile_error
//
// Strided zip with one shape for all tensors.
//
// Each tensor has its own, for broadcasting.

__global__ void zipKernel(float* out, const int* shape, int out_size, const float* a_storage, const int* a_strides,
                          const float* b_storage, const int* b_strides, int shape_size, int fn_id) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < out_size) {
        out[i] = a_storage[i] + b_storage[i];
    }
}
