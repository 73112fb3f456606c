// Uses of local variables without a value end in `// found`, and their names where these are sure; what is there beside
// them is right, however odd.
#include <cuda_fp16.h>

struct Padded { char c; int i; };
struct Three { float a, b, c; };
struct Fields { unsigned low : 4, high : 4; };

__device__ void give_if(float& x, bool really) { if (really) x = 1; }
__device__ Three all_but_last(float a) { Three t; t.a = a; t.b = a; return t; }
__device__ float twice(float x) { return 2 * x; }  // used in passed_on: value, passed as x,
template <class T> __device__ T raised(T by) { T result; if (by > 100) result = by; return result + by; }  // used in in_a_template: result
struct Rows { float first; Three three[2]; __device__ float last() const { return three[1].c + 1; } };  // used in in_a_method: rows.three[1].c
template <class T> __device__ const T& larger(const T& a, const T& b) { return a < b ? b : a; }

extern "C" __global__ void sums(float* out, const float* in, int n) {
    float sum;
    for (int i = 0; i < n; ++i) sum += in[i];  // found sum
    out[threadIdx.x] = sum;
}

extern "C" __global__ void forgotten_branch(float* out, const float* in, int n) {
    float kept;
    if (in[threadIdx.x] > 0) kept = in[threadIdx.x];
    out[threadIdx.x] = kept;  // found kept
}

extern "C" __global__ void one_lane_only(float* out, const float* in, int n) {
    float x;
    if (threadIdx.x != 5) x = 1;
    float y = x;
    out[threadIdx.x] = y + 1;  // found x, copied to y,
}

extern "C" __global__ void an_array(float* out, const float* in, int n) {
    float count[4];
    for (int i = 0; i < n; ++i) count[i % 4] += 1;  // found count[0]
    out[threadIdx.x] = count[0];
}

extern "C" __global__ void through_a_reference(float* out, const float* in, int n) {
    float x;
    give_if(x, n < 3);
    out[threadIdx.x] = 2 * x;  // found x
}

extern "C" __global__ void through_a_result(float* out, const float* in, int n) {
    out[threadIdx.x] = all_but_last(in[0]).c + 1;  // found
}

extern "C" __global__ void in_a_header(float* out, const float* in, int n) {
    float best;
    for (int i = 0; i < n; ++i) best = fmaxf(best, in[i]);  // found best
    out[threadIdx.x] = best;
}

extern "C" __global__ void an_index(float* out, const float* in, int n) {
    int at;
    if (n == 3) at = 1;
    out[at] = 1;  // found at
}

extern "C" __global__ void a_condition(float* out, const float* in, int n) {
    bool ready;
    if (n == 3) ready = true;
    if (ready) out[threadIdx.x] = 1;  // found ready
}

extern "C" __global__ void a_half(float* out, const float* in, int n) {
    __half sum;
    for (int i = 0; i < n; ++i) sum = __hadd(sum, __float2half(in[i]));  // found sum
    out[threadIdx.x] = __half2float(sum);
}

extern "C" __global__ void passed_on(float* out, const float* in, int n) {
    float value;
    if (n == 3) value = 1;
    out[threadIdx.x] = twice(value);
}

extern "C" __global__ void in_a_template(float* out, const float* in, int n) {
    out[threadIdx.x] = raised(in[n]);
}

extern "C" __global__ void a_member(float* out, const float* in, int n) {
    Rows rows;
    rows.three[1].a = 1;
    out[threadIdx.x] = rows.three[n - 6].b * 2;  // found rows.three[1].b
}

extern "C" __global__ void in_a_method(float* out, const float* in, int n) {
    Rows rows;
    rows.first = 1;
    out[threadIdx.x] = rows.last();
}

extern "C" __global__ void in_one_scope_of_two(float* out, const float* in, int n) {
    { float kept = in[n], row[2]; row[n % 2] = kept; out[0] = row[n % 2] + kept; }
    { float other[2]; other[n % 2] = 1; out[1] = other[n % 3] + 1; }
    { float row[2]; row[n % 2] = 1; out[1] = row[n - 7] + 1; }  // found row[0]
}

extern "C" __global__ void an_inner_one(float* out, const float* in, int n) {
    float value = in[n], unused = 2;
    for (int i = 0; i < n; ++i) {
        float value;
        if (i > 100) value = unused;
        out[i] = value * 2;  // found value
    }
    out[n] = value + unused;
}

extern "C" __global__ void of_two_dimensions(float* out, const float* in, int n) {
    float tile[2][3];
    tile[1][0] = 1;
    float sum = 0;
    for (int j = 0; j < 3; ++j) sum += tile[n % 2][j];  // found tile[1][1]
    out[threadIdx.x] = sum;
}

extern "C" __global__ void one_of_two(float* out, const float* in, int n) {
    float pair[2];
    pair[0] = 1;
    out[threadIdx.x] = n > 3 ? pair[1] : pair[0];  // found
}

extern "C" __global__ void right(float* out, const float* in, int n) {
    int t = threadIdx.x;
    __shared__ Padded rows[32];
    Padded row;
    row.c = 1, row.i = t;
    rows[t] = row;
    Three three = all_but_last(in[t]);
    reinterpret_cast<Three*>(out)[t] = three;
    float4 four;
    four.x = in[t];
    reinterpret_cast<float4*>(out)[t + 32] = four;
    Fields fields;
    fields.low = t % 16, fields.high = 1;
    float value;
    if (t < 16) value = in[t];
    float other = __shfl_down_sync(~0u, value, 8);
    if (t < 8) out[t] = value + other + fields.low + fields.high;
    float late, best = -1;
    for (int i = 0; i < n; ++i) {
        if (i > 0) best = larger(best, late);
        late = in[i];
    }
    int choice[2];
    choice[t % 2] = t;
    int odd = __syncthreads_count(t % 2) + __syncthreads_or(t == 3);
    out[t + 300] = best + choice[t % 2] + rows[t].i + odd;
}
