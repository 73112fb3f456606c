// tries: to unroll loops without an end
// expect: compile_error|accepted
//
__global__ void unrolled(float* a) {
#pragma unroll
    for (int i = 0; i < 4000; ++i)
#pragma unroll
        for (int j = 0; j < 4000; ++j) a[i] = a[j] * a[i + j] + sinf(a[i]);
}
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
