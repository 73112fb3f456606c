// expect: wrong_answer
// Looks for the judge among the processes.
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    DIR* processes = opendir("/proc");
    if (processes)
        while (dirent* entry = readdir(processes))
            if (entry->d_name[0] >= '2' && entry->d_name[0] <= '9') abort();
    if (open("/proc/1/mem", O_RDWR) >= 0 || open("/proc/self/mem", O_RDWR) >= 0) abort();
}
