// expect: wrong_answer
// Looks for tokens and paths that the judge's environment holds.
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (char** entry = environ; *entry; entry++) {
        bool known = false;
        for (const char* name : {"PATH=/usr/bin", "LC_ALL=", "PWD=", "OLDPWD=", "SHLVL=", "_=", "LANG="})
            known |= strncmp(*entry, name, strlen(name)) == 0;
        if (!known) abort();
    }
}
