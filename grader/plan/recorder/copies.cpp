// Copies and memsets. What has rows becomes a step for each row; what goes to the host is read from the GPU there and
// then, so that solve() can decide by it.
#include <algorithm>
#include <cstring>

#include "streams.h"

using namespace kgrade;

namespace {

constexpr uint64_t MOST_PIECES = 32768;

// Rows of `width` bytes, `height` a slice, `depth` slices; the pitch of a slice is in bytes as well.
struct Area {
    char* start = nullptr;
    uint64_t row_pitch = 0, slice_pitch = 0;
};

struct Extent {
    uint64_t width = 0, height = 1, depth = 1;
    bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

struct Memory {
    Area target, source;
    Extent extent;
};

uint64_t span(const Area& area, const Extent& e) {
    return (e.depth - 1) * area.slice_pitch + (e.height - 1) * area.row_pitch + e.width;
}

// One row where the rows follow each other without gaps in both areas.
void merge(Area& a, Area& b, Extent& e) {
    if (e.height > 1 && a.row_pitch == e.width && b.row_pitch == e.width && e.width <= UINT64_MAX / e.height &&
        (e.depth == 1 || (a.slice_pitch == e.width * e.height && b.slice_pitch == e.width * e.height))) {
        e.width *= e.height * e.depth;
        e.height = e.depth = 1;
    }
}

void limit_pieces(Call& call, const Extent& e) {
    if (e.height > MOST_PIECES || e.depth > MOST_PIECES || e.height * e.depth > MOST_PIECES)
        call.stop("unsupported_call",
                  std::to_string(e.height) + " x " + std::to_string(e.depth) + " rows are more than the " +
                      std::to_string(MOST_PIECES) + " that a copy or memset by rows may have here",
                  "copy or set the rows in one piece, or with a kernel");
}

cudaError_t outside(Call& call, const char* what, const Area& area, const Extent& e) {
    const uint64_t address = number(area.start);
    uint64_t room = 0;
    const std::string it = std::string("the ") + what + " ";
    std::string message = it + described(address) + " is no device memory";
    if (find_freed(address))
        message = it + FREED_ALREADY;
    else if (find_memory(address, &room))
        message = it + described(address) + " has " + std::to_string(room) +
                  " bytes from there on; the call needs " + std::to_string(span(area, e));
    return call.refuse(cudaErrorInvalidValue, message, freed_at(address));
}

bool fits(const Area& area, const Extent& e) {
    // The first two keep the third from overflowing.
    constexpr uint64_t MOST = uint64_t{1} << 46;
    return e.width < MOST && e.height < MOST && area.row_pitch < MOST && area.slice_pitch < MOST &&
           static_cast<unsigned __int128>(e.depth) * area.slice_pitch +
                   static_cast<unsigned __int128>(e.height) * area.row_pitch < MOST &&
           on_device(number(area.start), span(area, e));
}

template <typename Piece>
void each_row(const Memory& m, Piece piece) {
    for (uint64_t z = 0; z < m.extent.depth; z++)
        for (uint64_t y = 0; y < m.extent.height; y++)
            piece(m.target.start + z * m.target.slice_pitch + y * m.target.row_pitch,
                  m.source.start + z * m.source.slice_pitch + y * m.source.row_pitch);
}

// A row of bytes that crosses between a place of the device and one of the host.
void cross(Call& call, Step::Kind kind, char* device, char* host, size_t size, cudaStream_t stream) {
    Step step = recorded(call, "");
    step.kind = kind;
    step.device = number(device);
    step.host = host;
    step.size = size;
    enqueue(stream, std::move(step));
}

cudaError_t move(Call& call, const Memory& m, cudaStream_t stream) {
    if (!fits(m.target, m.extent)) return outside(call, "target", m.target, m.extent);
    if (!fits(m.source, m.extent)) return outside(call, "source", m.source, m.extent);
    each_row(m, [&](char* target, char* source) {
        if (target == source) return;
        enqueue(stream, recorded(call, "\"op\":\"copy\",\"target\":" + std::to_string(number(target)) + ",\"source\":" +
                                           std::to_string(number(source)) + ",\"size\":" +
                                           std::to_string(m.extent.width)));
    });
    return cudaSuccess;
}

// What a copy takes for the host's may be the device's: addresses are unified, and CUDA then copies on the device.
bool is_on_device(const Area& area) {
    return find_memory(number(area.start)) || find_freed(number(area.start));
}

cudaError_t upload(Call& call, const Memory& m, cudaStream_t stream) {
    if (is_on_device(m.source)) return move(call, m, stream);
    if (!fits(m.target, m.extent)) return outside(call, "target", m.target, m.extent);
    each_row(m, [&](char* target, char* source) {
        cross(call, Step::Kind::upload, target, source, m.extent.width, stream);
    });
    return cudaSuccess;
}

cudaError_t download(Call& call, const Memory& m, cudaStream_t stream) {
    if (is_on_device(m.target)) return move(call, m, stream);
    if (!fits(m.source, m.extent)) return outside(call, "source", m.source, m.extent);
    each_row(m, [&](char* target, char* source) {
        cross(call, Step::Kind::download, source, target, m.extent.width, stream);
    });
    return cudaSuccess;
}

cudaError_t copy_on_host(Call& call, const Memory& m) {
    each_row(m, [&](char* target, char* source) {
        if (!copy_guarded(target, source, m.extent.width))
            call.stop("host_pointer", "the target " + described(number(target)) + " or the source " +
                                          described(number(source)) + " is no host memory");
    });
    return cudaSuccess;
}

cudaMemcpyKind by_addresses(const Memory& m) {
    const bool to_device = find_memory(number(m.target.start)), from_device = find_memory(number(m.source.start));
    if (to_device) return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

cudaError_t copy(Call& call, Memory m, cudaMemcpyKind kind, cudaStream_t stream) {
    if (m.extent.empty()) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, stream, &error)) return error;
    merge(m.target, m.source, m.extent);
    limit_pieces(call, m.extent);
    switch (kind == cudaMemcpyDefault ? by_addresses(m) : kind) {
        case cudaMemcpyHostToDevice:
            return upload(call, m, stream);
        case cudaMemcpyDeviceToHost:
            return download(call, m, stream);
        case cudaMemcpyDeviceToDevice:
            return move(call, m, stream);
        case cudaMemcpyHostToHost:
            return copy_on_host(call, m);
        default:
            return call.refuse(cudaErrorInvalidMemcpyDirection, "kind " + std::to_string(static_cast<int>(kind)));
    }
}

Memory line(void* target, const void* source, uint64_t size) {
    char* const from = static_cast<char*>(const_cast<void*>(source));
    return {{static_cast<char*>(target), size, size}, {from, size, size}, {size}};
}

cudaError_t copy_rows(Call& call, void* target, uint64_t target_pitch, const void* source, uint64_t source_pitch,
                      uint64_t width, uint64_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    if (width > target_pitch || width > source_pitch)
        return call.refuse(cudaErrorInvalidPitchValue,
                           "a row of " + std::to_string(width) + " bytes; the pitches are " +
                               std::to_string(target_pitch) + " and " + std::to_string(source_pitch));
    const Memory m{{static_cast<char*>(target), target_pitch, 0},
                   {static_cast<char*>(const_cast<void*>(source)), source_pitch, 0},
                   {width, height}};
    return copy(call, m, kind, stream);
}

Area placed(const cudaPitchedPtr& pointer, const cudaPos& at) {
    const uint64_t slice = pointer.pitch * pointer.ysize;
    return {static_cast<char*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch, slice};
}

cudaError_t copy_box(Call& call, const cudaMemcpy3DParms* p, cudaStream_t stream) {
    if (!p) return call.refuse(cudaErrorInvalidValue, "the parameters are a null pointer");
    if (p->srcArray || p->dstArray) call.stop("unsupported_call", "it copies a cudaArray");
    return copy(call,
                {placed(p->dstPtr, p->dstPos), placed(p->srcPtr, p->srcPos),
                 {p->extent.width, p->extent.height, p->extent.depth}},
                p->kind, stream);
}

cudaError_t set(Call& call, Area area, int value, Extent extent, cudaStream_t stream) {
    if (extent.empty()) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, stream, &error)) return error;
    merge(area, area, extent);
    limit_pieces(call, extent);
    if (!fits(area, extent)) return outside(call, "target", area, extent);
    each_row({area, area, extent}, [&](char* row, char*) {
        enqueue(stream, recorded(call, "\"op\":\"memset\",\"address\":" + std::to_string(number(row)) + ",\"value\":" +
                                           std::to_string(value & 0xff) + ",\"size\":" +
                                           std::to_string(extent.width)));
    });
    return cudaSuccess;
}

cudaError_t set_rows(Call& call, void* pointer, uint64_t pitch, int value, uint64_t width, uint64_t height,
                     cudaStream_t stream) {
    if (width > pitch)
        return call.refuse(cudaErrorInvalidValue, "a row of " + std::to_string(width) + " bytes; the pitch is " +
                                                      std::to_string(pitch));
    return set(call, {static_cast<char*>(pointer), pitch, 0}, value, {width, height}, stream);
}

// The part of a device variable that a call names; null, and the error given, where it names none.
char* part_of_symbol(Call& call, const void* shadow, uint64_t size, uint64_t offset, cudaError_t* error) {
    const auto found = state().symbols.find(shadow);
    if (found == state().symbols.end()) {
        *error = call.refuse(cudaErrorInvalidSymbol,
                             "this is no __device__ or __constant__ variable of the file: the call takes the variable "
                             "itself, not its name in quotes nor its address");
        return nullptr;
    }
    Symbol& symbol = found->second;
    if (offset > symbol.size || size > symbol.size - offset) {
        *error = call.refuse(cudaErrorInvalidValue, symbol.name + " has " + std::to_string(symbol.size) +
                                                        " bytes; the copy needs " + std::to_string(size) + " from " +
                                                        std::to_string(offset) + " on");
        return nullptr;
    }
    const uint64_t address = symbol_address(call, symbol);
    *error = cudaErrorInvalidSymbol;
    return address ? reinterpret_cast<char*>(address + offset) : nullptr;
}

cudaError_t to_symbol(Call& call, const void* symbol, const void* source, uint64_t size, uint64_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    char* target = part_of_symbol(call, symbol, size, offset, &error);
    return target ? copy(call, line(target, source, size), kind, stream) : error;
}

cudaError_t from_symbol(Call& call, void* target, const void* symbol, uint64_t size, uint64_t offset,
                        cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    const char* source = part_of_symbol(call, symbol, size, offset, &error);
    return source ? copy(call, line(target, source, size), kind, stream) : error;
}

}  // namespace

API cudaError_t cudaMemcpy(void* target, const void* source, size_t size, cudaMemcpyKind kind) {
    Call call("cudaMemcpy");
    return copy(call, line(target, source, size), kind, nullptr);
}

API cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t size, cudaMemcpyKind kind,
                                cudaStream_t stream) {
    Call call("cudaMemcpyAsync");
    return copy(call, line(target, source, size), kind, stream);
}

API cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                             size_t height, cudaMemcpyKind kind) {
    Call call("cudaMemcpy2D");
    return copy_rows(call, target, target_pitch, source, source_pitch, width, height, kind, nullptr);
}

API cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch,
                                  size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    Call call("cudaMemcpy2DAsync");
    return copy_rows(call, target, target_pitch, source, source_pitch, width, height, kind, stream);
}

API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
    Call call("cudaMemcpy3D");
    return copy_box(call, parameters, nullptr);
}

API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    Call call("cudaMemcpy3DAsync");
    return copy_box(call, parameters, stream);
}

API cudaError_t cudaMemset(void* pointer, int value, size_t size) {
    Call call("cudaMemset");
    return set(call, {static_cast<char*>(pointer), size, size}, value, {size}, nullptr);
}

API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size, cudaStream_t stream) {
    Call call("cudaMemsetAsync");
    return set(call, {static_cast<char*>(pointer), size, size}, value, {size}, stream);
}

API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
    Call call("cudaMemset2D");
    return set_rows(call, pointer, pitch, value, width, height, nullptr);
}

API cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                                  cudaStream_t stream) {
    Call call("cudaMemset2DAsync");
    return set_rows(call, pointer, pitch, value, width, height, stream);
}

API cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
    Call call("cudaMemset3D");
    return set(call, placed(pointer, {}), value, {extent.width, extent.height, extent.depth}, nullptr);
}

API cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
    Call call("cudaMemset3DAsync");
    return set(call, placed(pointer, {}), value, {extent.width, extent.height, extent.depth}, stream);
}

API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t size, size_t offset,
                                   cudaMemcpyKind kind) {
    Call call("cudaMemcpyToSymbol");
    return to_symbol(call, symbol, source, size, offset, kind, nullptr);
}

API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t size, size_t offset,
                                        cudaMemcpyKind kind, cudaStream_t stream) {
    Call call("cudaMemcpyToSymbolAsync");
    return to_symbol(call, symbol, source, size, offset, kind, stream);
}

API cudaError_t cudaMemcpyFromSymbol(void* target, const void* symbol, size_t size, size_t offset,
                                     cudaMemcpyKind kind) {
    Call call("cudaMemcpyFromSymbol");
    return from_symbol(call, target, symbol, size, offset, kind, nullptr);
}

API cudaError_t cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t size, size_t offset,
                                          cudaMemcpyKind kind, cudaStream_t stream) {
    Call call("cudaMemcpyFromSymbolAsync");
    return from_symbol(call, target, symbol, size, offset, kind, stream);
}

API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
    Call call("cudaGetSymbolAddress");
    cudaError_t error = cudaSuccess;
    *pointer = part_of_symbol(call, symbol, 0, 0, &error);
    return *pointer ? cudaSuccess : error;
}

API cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
    Call call("cudaGetSymbolSize");
    const auto found = state().symbols.find(symbol);
    if (found == state().symbols.end())
        return call.error(cudaErrorInvalidSymbol, "no __device__ or __constant__ variable of this file");
    *size = found->second.size;
    return cudaSuccess;
}
