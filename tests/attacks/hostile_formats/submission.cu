// expect: wrong_answer unwritten_output
// on gpu: wrong_answer | runtime_error
// problem: zip
// row: emulator
//
// Formats with arguments that are not there, endless widths, strings at forged addresses, and counts written back.

#include <cstdio>

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i != 0) return;
    printf("%s%s%s%n%n%hhn%*d%.*f%99999999999d%.99999999999f%p%c%ls\n");
    printf("%s", (const char*)0x1000);
    printf("%s", (const char*)(5ull << 36));
    printf("%*d %.*f %lln\n", 2147483647, 1, -2147483647 - 1, 1.0, (long long*)output);
    printf("%");
    printf("%d %5000.5000f %lc %q %k %#+- 08o %a\n", 1, 1e308, 0x110000, 3);
    printf((const char*)a);
    printf((const char*)12345);
    printf("%s", (const char*)a);
}
