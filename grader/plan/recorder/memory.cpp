// Device memory: what the problem gave and what solve() allocates. The judge gives the addresses.
#include <iterator>

#include "channel.h"
#include "streams.h"

struct CUmemPoolHandle_st {
    std::map<int, uint64_t> attributes;
};

using namespace kgrade;

namespace {

constexpr uint64_t PITCH = 512;  // what a row of cudaMallocPitch() is a multiple of

CUmemPoolHandle_st default_pool;

// "address N" or "error WORDS".
bool answered(const std::string& answer, uint64_t* value, std::string* words = nullptr) {
    const size_t space = answer.find(' ');
    if (space == std::string::npos) return false;
    *value = strtoull(answer.c_str() + space, nullptr, 10);
    if (words) *words = answer.substr(space + 1);
    return answer.compare(0, space, "address") == 0;
}

// Of a CUDA that gives addresses again, as the judge does where it has few left.
void forget_freed(uint64_t address, uint64_t size) {
    auto& freed = state().freed;
    auto at = freed.lower_bound(address);
    if (at != freed.begin() && std::prev(at)->first + std::prev(at)->second.size > address) --at;
    while (at != freed.end() && at->first < address + size) at = freed.erase(at);
}

// `stream` is that of cudaMallocAsync(): who uses the memory comes after it.
cudaError_t allocate(Call& call, void** pointer, uint64_t size, const unsigned* stream = nullptr) {
    if (!pointer) return call.error(cudaErrorInvalidValue, "the address of a pointer is expected");
    *pointer = nullptr;
    if (size == 0) return cudaSuccess;
    uint64_t value = 0;
    std::string words;
    const std::string where = stream ? ",\"stream\":" + std::to_string(*stream) : "";
    if (!answered(channel::ask("{\"op\":\"alloc\",\"size\":" + std::to_string(size) + where + ",\"at\":" + call.at() +
                               "}"),
                  &value, &words))
        return call.error(cudaErrorMemoryAllocation, words);
    forget_freed(value, size);
    DeviceMemory memory;
    memory.size = size;
    state().memory[value] = memory;
    state().allocated += size;
    reserve_addresses(value, size);
    *pointer = reinterpret_cast<void*>(value);
    return cudaSuccess;
}

cudaError_t allocate_now(Call& call, void** pointer, uint64_t size) {
    if (forbidden_by_capture()) return call.error(cudaErrorStreamCaptureUnsupported, "a stream is being captured");
    return allocate(call, pointer, size);
}

cudaError_t allocate_async(Call& call, void** pointer, uint64_t size, cudaStream_t stream) {
    if (!stream_is_known(stream)) return call.error(cudaErrorInvalidResourceHandle, "the stream does not exist");
    // What a capture allocates belongs to the graph, whose launch comes later.
    if (is_capturing(stream)) return allocate(call, pointer, size);
    const unsigned id = stream_id(stream);
    state().working = true;
    return allocate(call, pointer, size, &id);
}

cudaError_t release(Call& call, void* pointer, cudaStream_t stream) {
    if (!pointer) return cudaSuccess;
    auto& memory = state().memory;
    const auto found = memory.find(number(pointer));
    // A GPU would free it, and who called solve() would find out.
    if (found != memory.end() && !found->second.array.empty() && !found->second.symbol)
        call.stop("host_pointer", "the array " + found->second.array + " belongs to whoever calls solve()",
                  "free what solve() itself has allocated, and nothing else");
    if (found == memory.end() || found->second.symbol)
        return call.error(cudaErrorInvalidValue,
                          find_freed(number(pointer)) ? std::string("this ") + FREED_ALREADY
                                                      : described(number(pointer)) + " is not what cudaMalloc() gave",
                          freed_at(number(pointer)));
    if (is_capturing(stream)) {
        found->second.freed_by_graph = true;
        return cudaSuccess;
    }
    perform(recorded(call, "\"op\":\"free\",\"address\":" + std::to_string(found->first)), stream_id(stream));
    state().allocated -= found->second.size;
    state().freed[found->first] = {found->second.size, call.at()};
    memory.erase(found);
    return cudaSuccess;
}

}  // namespace

namespace kgrade {

const DeviceMemory* find_memory(uint64_t address, uint64_t* room) {
    const auto& memory = state().memory;
    auto after = memory.upper_bound(address);
    if (after == memory.begin()) return nullptr;
    --after;
    const uint64_t offset = address - after->first;
    if (offset >= after->second.size) return nullptr;
    if (room) *room = after->second.size - offset;
    return &after->second;
}

bool on_device(uint64_t address, uint64_t size) {
    uint64_t room = 0;
    return find_memory(address, &room) && size <= room;
}

const Freed* find_freed(uint64_t address) {
    const auto& freed = state().freed;
    auto after = freed.upper_bound(address);
    if (after == freed.begin() || find_memory(address)) return nullptr;
    --after;
    return address - after->first < after->second.size ? &after->second : nullptr;
}

std::string freed_at(uint64_t address) {
    const Freed* freed = find_freed(address);
    return freed ? freed->at : "[]";
}

std::string described(uint64_t address) {
    char text[32];
    snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    const DeviceMemory* memory = find_memory(address);
    if (!memory) return text;
    if (memory->symbol) return std::string(text) + " (the device variable " + memory->array + ")";
    if (!memory->array.empty()) return std::string(text) + " (the device array " + memory->array + ")";
    return std::string(text) + " (device memory of cudaMalloc)";
}

void free_memory_of_graphs(Call& call) {
    for (const auto& [address, memory] : state().memory) {
        if (!memory.freed_by_graph) continue;
        host_waits_for_all(call);
        perform(recorded(call, "\"op\":\"free\",\"address\":" + std::to_string(address)), 0);
    }
}

uint64_t symbol_address(Call& call, Symbol& symbol) {
    if (symbol.address) return symbol.address;
    const std::string question =
        "{\"op\":\"symbol\",\"name\":" + quoted(symbol.name) + ",\"size\":" + std::to_string(symbol.size) + "}";
    if (!answered(channel::ask(question), &symbol.address)) {
        symbol.address = 0;
        call.refuse(cudaErrorInvalidSymbol, symbol.name);
        return 0;
    }
    DeviceMemory memory;
    memory.size = symbol.size;
    memory.array = symbol.name;
    memory.symbol = true;
    state().memory[symbol.address] = memory;
    return symbol.address;
}

}  // namespace kgrade

API cudaError_t cudaMalloc(void** pointer, size_t size) {
    Call call("cudaMalloc");
    return allocate_now(call, pointer, size);
}

API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    Call call("cudaMallocPitch");
    if (!pitch) return call.error(cudaErrorInvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return allocate_now(call, pointer, *pitch * height);
}

API cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
    Call call("cudaMalloc3D");
    if (!pitched) return call.error(cudaErrorInvalidValue);
    *pitched = {nullptr, (extent.width + PITCH - 1) / PITCH * PITCH, extent.width, extent.height};
    return allocate_now(call, &pitched->ptr, pitched->pitch * extent.height * extent.depth);
}

API cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
    Call call("cudaMallocAsync");
    return allocate_async(call, pointer, size, stream);
}

API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t, cudaStream_t stream) {
    Call call("cudaMallocFromPoolAsync");
    return allocate_async(call, pointer, size, stream);
}

API cudaError_t cudaFree(void* pointer) {
    Call call("cudaFree");
    if (pointer && forbidden_by_capture())
        return call.error(cudaErrorStreamCaptureUnsupported, "a stream is being captured");
    // It waits for the device (CUDA Runtime API, cudaFree).
    if (pointer) host_waits_for_all(call);
    return release(call, pointer, nullptr);
}

API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    Call call("cudaFreeAsync");
    if (!stream_is_known(stream)) return call.error(cudaErrorInvalidResourceHandle, "the stream does not exist");
    return release(call, pointer, stream);
}

API cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    Call call("cudaMemGetInfo");
    uint64_t used = 0;
    for (const auto& [address, memory] : state().memory) used += memory.size;
    *total = state().total_memory;
    *free = used < state().total_memory ? state().total_memory - used : 0;
    return cudaSuccess;
}

API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    Call call("cudaPointerGetAttributes");
    *attributes = {};
    attributes->device = -2;  // what CUDA gives for a pointer that it does not know
    if (find_memory(number(pointer))) {
        attributes->type = cudaMemoryTypeDevice;
        attributes->device = 0;
        attributes->devicePointer = const_cast<void*>(pointer);
    } else {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->hostPointer = const_cast<void*>(pointer);
    }
    return cudaSuccess;
}

API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    *pool = &default_pool;
    return cudaSuccess;
}

API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) {
    *pool = &default_pool;
    return cudaSuccess;
}

API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    Call call("cudaMemPoolSetAttribute");
    if (pool != &default_pool) return call.error(cudaErrorInvalidValue, "the pool does not exist");
    pool->attributes[attribute] =
        attribute < cudaMemPoolAttrReleaseThreshold ? *static_cast<int*>(value) : *static_cast<uint64_t*>(value);
    return cudaSuccess;
}

API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    Call call("cudaMemPoolGetAttribute");
    if (pool != &default_pool) return call.error(cudaErrorInvalidValue, "the pool does not exist");
    const auto found = pool->attributes.find(attribute);
    if (attribute < cudaMemPoolAttrReleaseThreshold)
        *static_cast<int*>(value) = found == pool->attributes.end() ? 1 : static_cast<int>(found->second);
    else
        *static_cast<uint64_t*>(value) = found == pool->attributes.end() ? 0 : found->second;
    return cudaSuccess;
}

API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    Call call("cudaMemPoolTrimTo");
    return pool == &default_pool ? cudaSuccess : call.error(cudaErrorInvalidValue, "the pool does not exist");
}
