// expect: accepted
//
// Zip, step 4: the walk over the arrays written once, for any operation.
//
// Added to step 3: walking and adding are two things. The template takes the operation as a type, which the compiler
// inlines, so that the next problem of this kind needs three new lines. Whoever has the last, incomplete four handles it
// element by element, so that one launch is enough. Expect the same time.

#include <cuda_runtime.h>

#define BLOCK 256

struct Add {
    __device__ float operator()(float left, float right) const { return left + right; }
};

template <typename Operation>
__global__ void __launch_bounds__(BLOCK)
    zip_with(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ output, int count,
             Operation operation) {
    const int first = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (first + 3 < count) {
        const float4 x = *reinterpret_cast<const float4*>(a + first);
        const float4 y = *reinterpret_cast<const float4*>(b + first);
        *reinterpret_cast<float4*>(output + first) =
            make_float4(operation(x.x, y.x), operation(x.y, y.y), operation(x.z, y.z), operation(x.w, y.w));
        return;
    }
    for (int i = first; i < count; i++) {
        output[i] = operation(a[i], b[i]);
    }
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    const int fours = (N + 3) / 4;
    zip_with<<<(fours + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, output, N, Add{});
}
