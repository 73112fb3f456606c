// expect: wrong_answer
// Leaves a result in a file for the next process (CHEATS, row 5).
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <sys/stat.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (const char* path : {"/tmp/result", "/result", "/dev/shm/result", "/var/tmp/result", "result", "/usr/lib/result"})
        if (open(path, O_CREAT | O_WRONLY, 0600) >= 0 || mkdir(path, 0700) == 0) abort();
}
