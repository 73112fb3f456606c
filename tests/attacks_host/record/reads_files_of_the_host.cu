// expect: wrong_answer
// Looks for secrets where a machine keeps them.
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <initializer_list>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (const char* path : {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/machine-id", "/proc/1/environ"})
        if (open(path, O_RDONLY) >= 0) abort();
    for (const char* path : {"/home", "/root", "/var", "/srv", "/mnt", "/opt", "/run"})
        if (DIR* folder = opendir(path))
            while (dirent* entry = readdir(folder))
                if (entry->d_name[0] != '.') abort();
}
