// Arithmetic as the compiler emits it: 64 and 128 bits, half and bfloat16, rounding, bit tricks, functions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void wide_integers(const long long* a, const long long* b, long long* out) {
    int i = threadIdx.x;
    long long x = a[i], y = b[i] ? b[i] : 7;
    unsigned long long ux = x, uy = y;
    __int128 product = (__int128)x * y;
    unsigned __int128 mixed = ((unsigned __int128)ux << 37) + uy;
    long long* o = out + 12 * i;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = ux / uy;
    o[3] = ux % uy;
    o[4] = (long long)(product >> 64);
    o[5] = (long long)product;
    o[6] = (long long)(mixed >> 50);
    o[7] = __mul64hi(x, y) ^ __umul64hi(ux, uy);
    o[8] = __popcll(x) + __clzll(y) + __ffsll(x) + (long long)__brevll(y);
    o[9] = x < y ? x >> (y & 63) : x << (y & 63);
    o[10] = (long long)(mixed / (uy | 1)) - (long long)(product % 1000003);
    o[11] = (product < (__int128)0) + 2 * (mixed > (unsigned __int128)product);
}

extern "C" __global__ void bit_tricks(const int* a, const int* b, int* out) {
    int i = threadIdx.x;
    int x = a[i], y = b[i];
    int* o = out + 12 * i;
    o[0] = __popc(x) + 100 * __clz(y) + 10000 * __ffs(x);
    o[1] = __brev(x);
    o[2] = __byte_perm(x, y, y & 0x7777);
    o[3] = __funnelshift_l(x, y, y) ^ __funnelshift_rc(x, y, x);
    o[4] = __mulhi(x, y) + __umulhi(x, y);
    o[5] = __mul24(x, y) - __umul24(x, y);
    o[6] = __sad(x, y, 5) + __usad(x, y, 6);
    o[7] = __hadd(x, y) ^ __rhadd(x, y) ^ __uhadd(x, y);
    o[8] = __dp4a(x, y, x) + __dp2a_lo(x, y, y);
    o[9] = __vadd4(x, y) ^ __vmaxs2(x, y) ^ __vabsdiffu4(x, y);
    o[10] = min(x, y) - max((unsigned)x, (unsigned)y) + abs(x);
    o[11] = (x & ~y) ^ (x | (y >> 3)) ^ ((x >> 5) & 0xff);
}

extern "C" __global__ void bytes_of_a_word(const unsigned* a, const unsigned* b, unsigned* out) {
    int i = threadIdx.x;
    unsigned x = a[i], y = b[i], r;
    unsigned* o = out + 12 * i;
    o[0] = __vaddus4(x, y) ^ __vaddss2(x, y);
    o[1] = __vsubus2(x, y) ^ __vsubss4(x, y);
    o[2] = __vabsdiffs2(x, y) ^ __vabsdiffs4(x, y);
    o[3] = __vcmpgtu4(x, y) ^ __vcmples2(x, y);
    o[4] = __vseteq4(x, y) + __vsetltu2(x, y);
    o[5] = __vavgu4(x, y) ^ __vhaddu2(x, y);
    o[6] = __vsadu4(x, y) + __vsads2(x, y);
    o[7] = __vabs4(x) ^ __vneg2(y) ^ __vabsss2(x);
    asm("vadd.s32.u32.s32 %0, %1.b1, %2.h1;" : "=r"(r) : "r"(x), "r"(y));
    asm("vabsdiff.u32.u32.u32.add %0, %1.b3, %2.b0, %3;" : "=r"(o[8]) : "r"(x), "r"(y), "r"(r));
    asm("vset.u32.u32.lt %0.b2, %1, %2, %3;" : "=r"(o[9]) : "r"(x), "r"(y), "r"(r));
    asm("vmad.s32.s32.s32 %0, %1.h0, -%2.h1, %3;" : "=r"(o[10]) : "r"(x), "r"(y), "r"(r));
    asm("vavrg4.s32.s32.u32.add %0.b20, %1.b7531, %2, %3;" : "=r"(o[11]) : "r"(x), "r"(y), "r"(r));
}

extern "C" __global__ void directed_rounding(const float* a, const float* b, const double* c, float* out, double* wide) {
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    double z = c[i];
    float* o = out + 12 * i;
    o[0] = __fadd_rd(x, y); o[1] = __fadd_ru(x, y); o[2] = __fadd_rz(x, y);
    o[3] = __fmul_rd(x, y); o[4] = __fmul_ru(x, y);
    o[5] = __fdiv_rd(x, y); o[6] = __fdiv_ru(x, y); o[7] = __fdiv_rz(x, y);
    o[8] = __fsqrt_ru(fabsf(x)); o[9] = __frcp_rz(y);
    o[10] = __fmaf_ru(x, y, x); o[11] = __double2float_rd(z);
    double* w = wide + 6 * i;
    w[0] = __dadd_ru(z, x); w[1] = __dmul_rd(z, y); w[2] = __ddiv_rz(z, y);
    w[3] = __dsqrt_rd(fabs(z)); w[4] = __fma_rz(z, z, x); w[5] = z / x;
}

extern "C" __global__ void conversions(const float* a, const double* b, const int* c, const long long* d, int* narrow,
                                       long long* wide, float* single) {
    int i = threadIdx.x;
    float x = a[i];
    double y = b[i];
    int* n = narrow + 8 * i;
    n[0] = __float2int_rn(x); n[1] = __float2int_rz(x); n[2] = __float2int_ru(x); n[3] = __float2int_rd(x);
    n[4] = __float2uint_rz(x); n[5] = __double2int_rn(y); n[6] = (signed char)c[i]; n[7] = (unsigned short)c[i];
    long long* w = wide + 4 * i;
    w[0] = __float2ll_rz(x); w[1] = __double2ll_rd(y); w[2] = __double2ull_rz(y); w[3] = __float2ull_rn(x);
    float* s = single + 8 * i;
    s[0] = __int2float_rn(c[i]); s[1] = __int2float_rz(c[i]); s[2] = __uint2float_ru(c[i]); s[3] = __ll2float_rn(d[i]);
    s[4] = __ull2float_rd(d[i]); s[5] = floorf(x); s[6] = ceilf(x) + truncf(x); s[7] = rintf(x) + roundf(x);
}

extern "C" __global__ void halves(const __half* a, const __half* b, const float* x, __half* out, int* flags) {
    int i = threadIdx.x;
    __half p = a[i], q = b[i];
    __half* o = out + 12 * i;
    o[0] = p + q; o[1] = p * q; o[2] = __hfma(p, q, p); o[3] = -p; o[4] = __habs(q); o[5] = __hmax(p, q);
    o[6] = __hmin(p, q); o[7] = __float2half(x[i]); o[8] = __float2half_rz(x[i]); o[9] = __hadd_sat(p, q);
    __half2 r = __hfma2(__halves2half2(p, q), __halves2half2(q, q), __float2half2_rn(x[i]));
    o[10] = __low2half(r); o[11] = __high2half(r);
    flags[i] = __hlt(p, q) + 2 * __heq(p, q) + 4 * __hisnan(q) + 8 * __hgtu(p, q) + 16 * __half2int_rd(p)
             + 4096 * __hbgt2(__halves2half2(p, q), __halves2half2(q, p));
}

extern "C" __global__ void brain_floats(const __nv_bfloat16* a, const __nv_bfloat16* b, const float* x,
                                        __nv_bfloat16* out, float* wide) {
    int i = threadIdx.x;
    __nv_bfloat16 p = a[i], q = b[i];
    __nv_bfloat16* o = out + 8 * i;
    o[0] = p + q; o[1] = p * q; o[2] = __hfma(p, q, q); o[3] = __hmax(p, q); o[4] = __float2bfloat16(x[i]);
    __nv_bfloat162 r = __hmul2(__halves2bfloat162(p, q), __halves2bfloat162(q, p));
    o[5] = __low2bfloat16(r); o[6] = __habs(p) - q; o[7] = __float2bfloat16_rz(x[i]);
    wide[i] = __bfloat162float(p) - __bfloat162float(q);
}

extern "C" __global__ void functions(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    float* o = out + 16 * i;
    o[0] = expf(x); o[1] = logf(fabsf(x) + 0.5f); o[2] = sinf(x); o[3] = cosf(x);
    o[4] = tanhf(x); o[5] = powf(fabsf(x), 1.5f); o[6] = rsqrtf(fabsf(x) + 1e-3f); o[7] = sqrtf(fabsf(x));
    o[8] = 1.f / x; o[9] = erff(x); o[10] = fmodf(x, 0.7f); o[11] = __expf(x);
    o[12] = __sinf(x); o[13] = __fdividef(x, 3.f); o[14] = atan2f(x, 2.f); o[15] = cbrtf(x);
}

extern "C" __global__ void double_functions(const double* a, double* out) {
    int i = threadIdx.x;
    double x = a[i];
    double* o = out + 6 * i;
    o[0] = exp(x); o[1] = log(fabs(x) + 0.5); o[2] = sin(x); o[3] = x / 3.0; o[4] = sqrt(fabs(x)); o[5] = 1.0 / x;
}
