// expect: wrong_answer
// Makes links to files of the host and follows them.
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (const char* link : {"/tmp/link", "link", "/dev/shm/link"})
        if (symlink("/etc/passwd", link) == 0 && open(link, O_RDONLY) >= 0) abort();
    if (open("/proc/self/root/etc/passwd", O_RDONLY) >= 0 || open("../../../../etc/passwd", O_RDONLY) >= 0) abort();
}
