// expect: wrong_answer
// Starts other programs.
#include <cstdio>
#include <cstdlib>
#include <spawn.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    char sh[] = "/bin/sh", option[] = "-c", command[] = "exit 0";
    char* words[] = {sh, option, command, nullptr};
    pid_t child;
    if (system("exit 0") == 0 || posix_spawn(&child, sh, nullptr, nullptr, words, nullptr) == 0) abort();
    FILE* pipe = popen("echo yes", "r");
    if (pipe && fgetc(pipe) == 'y') abort();
    execv(sh, words);
}
