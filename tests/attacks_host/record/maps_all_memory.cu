// expect: wrong_answer
// The same without malloc(), until the kernel says no.
#include <sys/mman.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    while (mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
    }
}
