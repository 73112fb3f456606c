// expect: wrong_answer
// Gives itself more memory, time and files.
#include <cstdlib>
#include <initializer_list>
#include <sys/resource.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (int kind : {RLIMIT_AS, RLIMIT_CPU, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CORE}) {
        rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
        if (setrlimit(static_cast<__rlimit_resource>(kind), &more) == 0) abort();
    }
    if (nice(-5) == -5) abort();
}
