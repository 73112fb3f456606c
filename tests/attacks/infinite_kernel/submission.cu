// expect: time_limit_exceeded
// problem: reduce
// row: 24
//
// Never ends.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    while (true) {
        if (((volatile float*)output)[0] > 1e30f) break;
    }
}
