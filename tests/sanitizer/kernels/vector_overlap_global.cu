// data_race: vectors of four overlap by two
// launch: 2 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float x = in[i];
#ifdef FIXED
    reinterpret_cast<float4*>(out)[i] = make_float4(x, x, x, x);
#else
    if (i % 2 == 0) reinterpret_cast<float4*>(out)[i / 2] = make_float4(x, x, x, x);  // found
    else reinterpret_cast<float2*>(out)[i] = make_float2(x, x);  // found
#endif
}
