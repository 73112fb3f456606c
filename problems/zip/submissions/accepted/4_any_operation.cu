// expect: accepted
//
// Zip, step 4: the walk over the arrays written once, for any operation.
//
// Added to step 3: walking and adding are two things. The template takes the operation as a type, which the
// compiler inlines: the machine code is that of step 1, and the next problem of this kind needs three new lines.

#define BLOCK 512
#define GLOBAL_THREAD (blockIdx.x * blockDim.x + threadIdx.x)

struct Add {
    __device__ float operator()(float left, float right) const { return left + right; }
};

template <typename Element, typename Operation>
__device__ __forceinline__ void zip_with(const Element* a, const Element* b, Element* output, int count,
                                         Operation operation) {
    const int i = GLOBAL_THREAD;
    if (i < count) {
        output[i] = operation(a[i], b[i]);
    }
}

__global__ void __launch_bounds__(BLOCK) zip_kernel(const float* a, const float* b, float* output, int N) {
    zip_with(a, b, output, N, Add{});
}
