// What nvcc's code calls when the library is loaded: which host stub stands for which kernel, and which host variable
// for which symbol of the device.
#include "recorder.h"

using namespace kgrade;

API void** __cudaRegisterFatBinary(void* image) { return static_cast<void**>(image); }

API void __cudaRegisterFatBinaryEnd(void**) {}

API void __cudaUnregisterFatBinary(void**) {}

API char __cudaInitModule(void**) { return 1; }

API void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                                int*) {
    Call call("__cudaRegisterFunction");
    const auto found = state().kernels.find(name);
    state().functions[stub] = found == state().kernels.end() ? nullptr : &found->second;
}

API void __cudaRegisterVar(void**, char* shadow, char*, const char* name, int, size_t size, int constant,
                           int) {
    Call call("__cudaRegisterVar");
    if (constant) state().constant_bytes += size;
    state().symbols[shadow] = {name, size};
}

API void __cudaRegisterManagedVar(void**, void**, char*, const char* name, int, size_t, int, int) {
    Call call("__managed__");
    call.stop("unsupported_call", std::string("the variable ") + name + " is __managed__",
              "declare it __device__ and copy with cudaMemcpyToSymbol()");
}
