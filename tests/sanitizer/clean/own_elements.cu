// Threads read and write what is theirs alone, in place, as vectors and as bytes.
// launch: 4 64
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float4* four = reinterpret_cast<float4*>(tmp);
    four[i] = make_float4(in[i], 1, 2, 3);
    float4 v = four[i];
    v.x += v.y;
    four[i] = v;
    tmp[4 * i + 2] += 1;
    unsigned char* bytes = reinterpret_cast<unsigned char*>(out);
    bytes[i] = 3;
    bytes[i] += bytes[i];
}
