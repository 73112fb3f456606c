// expect: wrong_answer
// Walks all folders that it can see for sources and databases of others. Its own library is all that it finds.
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <string>

static bool ends(const std::string& name, const char* end) {
    return name.size() >= strlen(end) && name.compare(name.size() - strlen(end), std::string::npos, end) == 0;
}

static void walk(const std::string& path, int depth) {
    DIR* folder = opendir(path.c_str());
    if (!folder || depth > 6 || path.rfind("//usr", 0) == 0) return;
    while (dirent* entry = readdir(folder)) {
        const std::string name = entry->d_name;
        if (ends(name, ".cu") || ends(name, ".db") || ends(name, ".py") || name == ".git") abort();
        if (entry->d_type == DT_DIR && name[0] != '.') walk(path + "/" + name, depth + 1);
    }
    closedir(folder);
}

extern "C" void solve(const float* A, const float* B, float* C, int N) { walk("/", 0); }
