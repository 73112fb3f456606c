// expect: wrong_answer
// Goes past the recording: loads the driver and NVIDIA's libraries (CHEATS, row 21). No device is there for them.
#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (const char* name : {"libcuda.so.1", "libcuda.so"})
        if (void* library = dlopen(name, RTLD_NOW))
            if (auto* init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit")))
                if (init(0) == 0) abort();
}
