// expect: accepted
//
// Strided zip, step 3: the thread's number is a place in the output's storage, and the strides are prepared once a
// block.
//
// Added to step 2: neighbouring threads write neighbouring floats, whatever the strides; (place / stride) % length
// is the index along a dimension of a storage without gaps. The first threads of the block copy the strides to
// shared memory, with 0 for broadcast dimensions, so that the loop asks no questions and skips dimensions of length
// 1.

#define MOST 5

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
    __shared__ int4 dimensions[MOST];
    __shared__ int count;
    if (threadIdx.x == 0) {
        count = 0;
        for (int d = 0; d < shape_size; d++) {
            if (out_shape[d] > 1) {
                dimensions[count++] = make_int4(out_shape[d], out_strides[d], a_shape[d] > 1 ? a_strides[d] : 0,
                                                b_shape[d] > 1 ? b_strides[d] : 0);
            }
        }
    }
    __syncthreads();
    int to = blockIdx.x * blockDim.x + threadIdx.x;
    if (to >= out_size) {
        return;
    }
    int from_a = 0;
    int from_b = 0;
    for (int d = 0; d < count; d++) {
        int4 dimension = dimensions[d];
        int index = to / dimension.y % dimension.x;
        from_a += index * dimension.z;
        from_b += index * dimension.w;
    }
    out[to] = fn(fn_id, a_storage[from_a], b_storage[from_b]);
}
