// Output and deliberate stops: printf, assert, trap.

extern "C" __global__ void prints(const int* x, const float* f, const long long* w) {
    int i = threadIdx.x;
    if (i < 3) printf("%d: x=%+5d f=%8.3f w=%llx %s %c%%\n", i, x[i], f[i], w[i], i % 2 ? "odd" : "even", 'a' + i);
    if (i == 3) printf("no arguments\n");
}

extern "C" __global__ void asserts(const int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(x[i] < n && "value in range");
}

extern "C" __global__ void traps(const int* x) {
    if (x[threadIdx.x] == 3) __trap();
}
