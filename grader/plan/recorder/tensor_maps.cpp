// Tensor maps: cuTensorMapEncodeTiled() leaves a token where CUDA leaves its encoding, which only a GPU's driver
// knows how to make. Launches name the maps that their arguments hold, and the runner encodes them.
#include <dlfcn.h>

#include <cstring>

#include "recorder.h"

namespace kgrade {
namespace {

constexpr size_t MAP_BYTES = 128;
constexpr char TOKEN[] = "kgrade tensor map number";
constexpr size_t TOKEN_BYTES = sizeof TOKEN - 1;
constexpr int SUCCESS = 0, INVALID_VALUE = 1;

std::vector<std::string> maps;

template <typename T>
std::string listed(const T* values, unsigned count) {
    std::string text = "[";
    for (unsigned i = 0; i < count; i++) text += (i ? "," : "") + std::to_string(values[i]);
    return text + "]";
}

// Bytes of an element by CUtensorMapDataType; 0 for the types of 4 and 6 bits.
constexpr int ELEMENT_BYTES[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 0, 0, 0};
constexpr int DTYPES = sizeof ELEMENT_BYTES / sizeof *ELEMENT_BYTES;

// The longest row of a box by CUtensorMapSwizzle, in bytes.
constexpr int SWIZZLED_BYTES[] = {1 << 20, 32, 64, 128, 128, 128, 128};
constexpr int SWIZZLES = sizeof SWIZZLED_BYTES / sizeof *SWIZZLED_BYTES;

// The conditions that cuda.h states for the call.
bool valid(const void* map, int dtype, unsigned rank, const void* address, const uint64_t* dims,
           const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides, int interleave, int swizzle) {
    if (!map || number(map) % 64 || rank < 1 || rank > 5 || number(address) % 16) return false;
    if (dtype < 0 || dtype >= DTYPES || swizzle < 0 || swizzle >= SWIZZLES) return false;
    const uint64_t row = uint64_t{box[0]} * ELEMENT_BYTES[dtype];
    if (interleave == 0 && (row % 16 || row > static_cast<uint64_t>(SWIZZLED_BYTES[swizzle]))) return false;
    for (unsigned i = 0; i < rank; i++) {
        if (dims[i] < 1 || dims[i] > uint64_t{1} << 32 || box[i] < 1 || box[i] > 256) return false;
        if (element_strides[i] < 1 || element_strides[i] > 8) return false;
        if (i + 1 < rank && (strides[i] % 16 || strides[i] >= uint64_t{1} << 40)) return false;
    }
    return true;
}

// As cuTensorMapEncodeTiled of cuda.h, its enumerations as numbers.
int encode_tiled(void* map, int dtype, unsigned rank, void* address, const uint64_t* dims, const uint64_t* strides,
                 const uint32_t* box, const uint32_t* element_strides, int interleave, int swizzle, int l2, int oob) {
    Call call("cuTensorMapEncodeTiled");
    if (!valid(map, dtype, rank, address, dims, strides, box, element_strides, interleave, swizzle))
        return INVALID_VALUE;
    const uint64_t index = maps.size();
    memset(map, 0, MAP_BYTES);
    memcpy(map, TOKEN, TOKEN_BYTES);
    memcpy(static_cast<char*>(map) + TOKEN_BYTES, &index, sizeof index);
    maps.push_back("{\"dtype\":" + std::to_string(dtype) + ",\"rank\":" + std::to_string(rank) + ",\"address\":" +
                   std::to_string(number(address)) + ",\"dims\":" + listed(dims, rank) + ",\"strides\":" +
                   listed(strides, rank - 1) + ",\"box\":" + listed(box, rank) + ",\"element_strides\":" +
                   listed(element_strides, rank) + ",\"interleave\":" + std::to_string(interleave) + ",\"swizzle\":" +
                   std::to_string(swizzle) + ",\"l2\":" + std::to_string(l2) + ",\"oob\":" + std::to_string(oob) + "}");
    return SUCCESS;
}

cudaError_t entry_point(const char* name, void** function, cudaDriverEntryPointQueryResult* result) {
    if (!strcmp(name, "cuTensorMapEncodeTiled"))
        *function = reinterpret_cast<void*>(encode_tiled);
    else
        // The stub of the driver's function: it may be looked up, and ends the recording where it is called.
        *function = dlsym(RTLD_DEFAULT, name);
    if (result) *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

}  // namespace

bool holds_tensor_map(const void* data, size_t size) { return memmem(data, size, TOKEN, TOKEN_BYTES) != nullptr; }

std::string take_tensor_maps(std::vector<std::string>& arguments) {
    std::string text = "[";
    for (size_t i = 0; i < arguments.size() && !maps.empty(); i++) {
        std::string& bytes = arguments[i];
        for (size_t at = bytes.find(TOKEN); at != std::string::npos; at = bytes.find(TOKEN, at + 1)) {
            uint64_t index = 0;
            if (at + MAP_BYTES > bytes.size()) break;
            memcpy(&index, &bytes[at + TOKEN_BYTES], sizeof index);
            if (index >= maps.size()) break;
            if (text.size() > 1) text += ',';
            text += "{\"argument\":" + std::to_string(i) + ",\"offset\":" + std::to_string(at) + ",\"map\":" +
                    maps[index] + "}";
            memset(&bytes[at], 0, MAP_BYTES);
        }
    }
    return text + "]";
}

}  // namespace kgrade

using namespace kgrade;

API int cuTensorMapEncodeTiled(void* map, int dtype, unsigned rank, void* address, const uint64_t* dims,
                               const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides,
                               int interleave, int swizzle, int l2, int oob) {
    return encode_tiled(map, dtype, rank, address, dims, strides, box, element_strides, interleave, swizzle, l2, oob);
}

API cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                        cudaDriverEntryPointQueryResult* result) {
    Call call("cudaGetDriverEntryPoint");
    return entry_point(name, function, result);
}

API cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                                 cudaDriverEntryPointQueryResult* result) {
    Call call("cudaGetDriverEntryPointByVersion");
    return entry_point(name, function, result);
}
