// Device functions that stay calls: values and structures in and out, references, recursion, pointers.

struct Pair { int low; double high; char tag; };
struct Big { int v[9]; };

__device__ __noinline__ Pair order(Pair p, int by) {
    Pair q;
    q.low = p.low < by ? p.low : by;
    q.high = p.high + (p.low < by ? by : p.low);
    q.tag = p.tag + 1;
    return q;
}
__device__ __noinline__ void swap(int& a, int& b) { int t = a; a = b; b = t; }
__device__ __noinline__ Big shifted(Big b, int by) {
    Big r;
    for (int i = 0; i < 9; ++i) r.v[i] = b.v[(i + by) % 9];
    return r;
}
__device__ __noinline__ unsigned char narrow(unsigned char a, short b) { return (unsigned char)(a * b); }

extern "C" __global__ void structures(const int* x, int* out) {
    int i = threadIdx.x;
    Pair p = {x[i], 0.5 * x[i], (char)i};
    for (int k = 0; k < 3; ++k) p = order(p, x[(i + k) % blockDim.x]);
    int a = x[i], b = i;
    if (i & 1) swap(a, b);
    Big big;
    for (int k = 0; k < 9; ++k) big.v[k] = k * a + b;
    big = shifted(big, i);
    out[i] = p.low + (int)(p.high * 2) + p.tag + 3 * a - b + big.v[0] * big.v[8] + narrow(i, x[i]);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ bool odd(int n);
__device__ __noinline__ bool even(int n) { return n == 0 ? true : odd(n - 1); }
__device__ __noinline__ bool odd(int n) { return n == 0 ? false : even(n - 1); }

extern "C" __global__ void recursion(const int* x, int* out) {
    int i = threadIdx.x;
    int n = x[i];
    out[3 * i] = fibonacci(n);
    out[3 * i + 1] = ackermann(i % 3, n % 5);
    out[3 * i + 2] = even(n);
}

// Each level of the recursion owns an array in local memory.
__device__ __noinline__ int deep(int n, int* parent) {
    int mine[4];
    for (int k = 0; k < 4; ++k) mine[k] = n * k + (parent ? parent[(k + n) & 3] : 1);
    int below = n > 0 ? deep(n - 1, mine) : 0;
    return mine[n & 3] + below;
}
extern "C" __global__ void recursion_with_arrays(const int* x, int* out) {
    out[threadIdx.x] = deep(x[threadIdx.x], nullptr);
}

// Calls that branches go around, with nothing of the callee's to fetch behind them.
__device__ void quick_sort(int* data, int low, int high) {
    int pivot = data[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (data[i] < pivot) ++i;
        while (data[j] > pivot) --j;
        if (i <= j) swap(data[i++], data[j--]);
    }
    if (low < j) quick_sort(data, low, j);
    if (i < high) quick_sort(data, i, high);
}
extern "C" __global__ void sorts(int* data, int per_thread) {
    quick_sort(data + threadIdx.x * per_thread, 0, per_thread - 1);
}

__device__ __noinline__ void add_up(int* sums, int by) {
    int mine[4];
    for (int k = 0; k < 4; ++k) mine[(k + by) & 3] = by * k;
    for (int k = 0; k < 4; ++k) sums[k] += mine[k];
}
extern "C" __global__ void skipped_calls(const int* x, int* out) {
    int sums[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4; ++k)
        if (x[threadIdx.x] >> k & 1) add_up(sums, k);
    out[threadIdx.x] = sums[0] + 10 * sums[1] + 100 * sums[2] + 1000 * sums[3];
}

typedef float (*Binary)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float minus(float a, float b) { return a - b; }
__device__ float times(float a, float b) { return a * b; }
__device__ Binary table[3] = {plus, minus, times};

extern "C" __global__ void function_table(const int* which, const float* a, const float* b, float* out) {
    int i = threadIdx.x;
    out[i] = table[which[i]](a[i], b[i]);
}

struct Shape { __device__ virtual int area() const = 0; int w, h; };
struct Box : Shape { __device__ int area() const override { return w * h; } };
struct Triangle : Shape { __device__ int area() const override { return w * h / 2; } };
extern "C" __global__ void virtual_calls(const int* kind, int* out) {
    int i = threadIdx.x;
    Box box;
    Triangle triangle;
    Shape* shape = kind[i] ? (Shape*)&box : (Shape*)&triangle;
    shape->w = i + 1;
    shape->h = 2 * i + 3;
    out[i] = shape->area();
}
