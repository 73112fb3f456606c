// expect: wrong_answer
// Would become a recorder without a submission, with the judge's channel for itself.
#include <link.h>
#include <string>
#include <unistd.h>

static int find(dl_phdr_info* info, size_t, void* found) {
    const std::string name = info->dlpi_name;
    if (name.find("library.so") != std::string::npos) *static_cast<std::string*>(found) = name;
    return 0;
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    std::string path;
    dl_iterate_phdr(find, &path);
    path.replace(path.rfind('/'), std::string::npos, "/recorder");
    char* words[] = {path.data(), nullptr};
    execv(path.c_str(), words);
}
