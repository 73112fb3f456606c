// data_race: two launches are ordered, the two halves of one are not
// launch: 2 64, 2 64 second
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    tmp[i] = in[i];  // found
#ifndef FIXED
    out[i] = tmp[127 - i];  // found
#endif
}
extern "C" __global__ void second(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = tmp[127 - i];
}
