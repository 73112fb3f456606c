// Kernel launches: by <<<>>>, by the launch functions of the runtime, cooperative, with clusters. A launch that CUDA
// would refuse is refused here, in CUDA's words.
#include <algorithm>
#include <vector>

#include "recorder.h"

using namespace kgrade;

namespace {

struct Configuration {
    dim3 grid, block;
    size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    bool cooperative = false;
    dim3 cluster = dim3(0, 0, 0);
};

thread_local std::vector<Configuration> pushed;

std::string shown(const dim3& d) {
    return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

std::string listed(const dim3& d) {
    return "[" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + "]";
}

bool within(const dim3& d, cudaDeviceAttr x, cudaDeviceAttr y, cudaDeviceAttr z) {
    const auto fits = [](unsigned number, cudaDeviceAttr limit) {
        return number >= 1 && number <= static_cast<unsigned>(state().attribute(limit));
    };
    return fits(d.x, x) && fits(d.y, y) && fits(d.z, z);
}

// Registers are given to the warps of four schedulers alike, 8 a thread at least.
uint64_t threads_by_registers(const Kernel& kernel) {
    const int each = std::max(1, (kernel.registers + 7) / 8) * 8 * 32;
    return static_cast<uint64_t>(state().attribute(cudaDevAttrMaxRegistersPerBlock) / each / 4 * 4 * 32);
}

bool given(const dim3& d) { return d.x || d.y || d.z; }

uint64_t count(const dim3& d) { return uint64_t{d.x} * d.y * d.z; }

// CUDA 13 gives the general error where CUDA 12 gives that of a launch.
constexpr cudaError_t BAD_CONFIGURATION =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

// Why CUDA would refuse the launch; cudaSuccess where it would not.
cudaError_t fault_of(const Kernel& kernel, const Configuration& c, std::string& why) {
    const State& s = state();
    const auto limit = [&](cudaDeviceAttr which) { return std::to_string(s.attribute(which)); };
    if (!within(c.grid, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ)) {
        why = "grid " + shown(c.grid) + "; x is 1 to " + limit(cudaDevAttrMaxGridDimX) + ", y 1 to " +
              limit(cudaDevAttrMaxGridDimY) + ", z 1 to " + limit(cudaDevAttrMaxGridDimZ);
        return BAD_CONFIGURATION;
    }
    if (!within(c.block, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ) ||
        count(c.block) > static_cast<uint64_t>(s.attribute(cudaDevAttrMaxThreadsPerBlock))) {
        why = "block " + shown(c.block) + " has " + std::to_string(count(c.block)) + " threads; it is 1 to " +
              limit(cudaDevAttrMaxThreadsPerBlock) + ", with x 1 to " + limit(cudaDevAttrMaxBlockDimX) + ", y 1 to " +
              limit(cudaDevAttrMaxBlockDimY) + ", z 1 to " + limit(cudaDevAttrMaxBlockDimZ);
        return BAD_CONFIGURATION;
    }
    if (c.shared_bytes > static_cast<uint64_t>(kernel.dynamic_limit)) {
        why = std::to_string(c.shared_bytes) + " bytes of dynamic shared memory beside " +
              std::to_string(kernel.shared_bytes) + " static ones; this kernel may have " +
              std::to_string(kernel.dynamic_limit);
        if (c.shared_bytes + kernel.shared_bytes <=
            static_cast<uint64_t>(s.attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)))
            why += " until cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, " +
                   std::to_string(c.shared_bytes) + ") allows more";
        return cudaErrorInvalidValue;
    }
    if (count(c.block) > static_cast<uint64_t>(kernel.max_threads)) {
        const bool bound = count(c.block) <= threads_by_registers(kernel);
        why = "block " + shown(c.block) + " has " + std::to_string(count(c.block)) + " threads; this kernel, by its " +
              (bound ? "launch bounds" : std::to_string(kernel.registers) + " registers a thread") + ", takes " +
              std::to_string(kernel.max_threads);
        return bound ? cudaErrorInvalidValue : cudaErrorLaunchOutOfResources;
    }
    const dim3 cluster = given(c.cluster) ? c.cluster : kernel.cluster;
    if (given(cluster)) {
        const uint64_t most = kernel.wide_clusters ? 16 : 8;
        if (s.attribute(cudaDevAttrClusterLaunch) == 0 && count(cluster) > 1) {
            why = "cluster " + shown(cluster) + "; this GPU has no clusters";
            return cudaErrorInvalidClusterSize;
        }
        if (count(cluster) == 0 || count(cluster) > most || c.grid.x % cluster.x || c.grid.y % cluster.y ||
            c.grid.z % cluster.z) {
            why = "cluster " + shown(cluster) + (given(c.cluster) ? "" : " (__cluster_dims__)") + " with grid " +
                  shown(c.grid) + "; a cluster has at most " +
                  std::to_string(most) + " blocks and divides the grid";
            return cudaErrorInvalidClusterSize;
        }
    }
    return cudaSuccess;
}

cudaError_t check_cooperative(Call& call, const void* function, const Configuration& c) {
    int blocks = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, static_cast<int>(count(c.block)),
                                                      c.shared_bytes) != cudaSuccess)
        return cudaSuccess;
    const uint64_t most = uint64_t(blocks) * state().attribute(cudaDevAttrMultiProcessorCount);
    if (count(c.grid) <= most) return cudaSuccess;
    return call.refuse(cudaErrorCooperativeLaunchTooLarge,
                       "grid " + shown(c.grid) + " has " + std::to_string(count(c.grid)) +
                           " blocks; all of a cooperative launch run at once, and this GPU holds " +
                           std::to_string(most) + " of this kernel");
}

cudaError_t launch(Call& call, const void* function, void** values, const Configuration& c) {
    const auto found = state().functions.find(function);
    if (found == state().functions.end() || !found->second)
        return call.refuse(function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction,
                           "the launched function is no kernel of this file");
    const Kernel& kernel = *found->second;
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, c.stream, &error)) return error;
    std::string why;
    error = fault_of(kernel, c, why);
    if (error != cudaSuccess) {
        spoil_capture_of(c.stream);
        // Of a grid without blocks no work is missing, whether the submission asks for the error or not.
        return count(c.grid) == 0 ? call.error(error, why) : call.refuse(error, why);
    }
    if (c.cooperative && (error = check_cooperative(call, function, c)) != cudaSuccess) return error;

    std::vector<std::string> arguments;
    for (size_t i = 0; i < kernel.parameters.size(); i++) {
        std::string bytes(kernel.parameters[i], '\0');
        if (!copy_guarded(bytes.data(), values[i], bytes.size()))
            call.stop("host_pointer", "argument " + std::to_string(i) + " of the launch can't be read");
        arguments.push_back(std::move(bytes));
    }
    const std::string maps = take_tensor_maps(arguments);
    std::string body = "\"op\":\"launch\",\"kernel\":" + quoted(kernel.symbol) + ",\"grid\":" + listed(c.grid) +
                       ",\"block\":" + listed(c.block) + ",\"shared\":" + std::to_string(c.shared_bytes) +
                       ",\"arguments\":[";
    for (size_t i = 0; i < arguments.size(); i++)
        body += std::string(i ? "," : "") + "\"" + hex(arguments[i].data(), arguments[i].size()) + "\"";
    body += "],\"cooperative\":" + std::string(c.cooperative ? "true" : "false") + ",\"cluster\":" + listed(c.cluster) +
            ",\"tensor_maps\":" + maps;
    enqueue(c.stream, recorded(call, std::move(body)));
    return cudaSuccess;
}

}  // namespace

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st* stream) {
    pushed.push_back({grid, block, shared_bytes, stream});
    return 0;
}

API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
    if (pushed.empty()) {
        Call call("<<<>>>");
        return call.refuse(cudaErrorMissingConfiguration, "a kernel was called without <<<>>>");
    }
    const Configuration c = pushed.back();
    pushed.pop_back();
    *grid = c.grid;
    *block = c.block;
    *shared_bytes = c.shared_bytes;
    *static_cast<cudaStream_t*>(stream) = c.stream;
    return cudaSuccess;
}

// A kernel's handle is the address of its stub: what all other calls take.
API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}

API cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    return __cudaGetKernel(kernel, function);
}

API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** values, size_t shared_bytes,
                                   cudaStream_t stream) {
    Call call("<<<>>>");
    return launch(call, kernel, values, {grid, block, shared_bytes, stream});
}

API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** values, size_t shared_bytes,
                                 cudaStream_t stream) {
    Call call("cudaLaunchKernel");
    return launch(call, function, values, {grid, block, shared_bytes, stream});
}

API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** values,
                                            size_t shared_bytes, cudaStream_t stream) {
    Call call("cudaLaunchCooperativeKernel");
    return launch(call, function, values, {grid, block, shared_bytes, stream, true});
}

// Attributes that only order or speed up work, such as priorities and programmatic launches, are left out: the steps
// of a stream then run one after the other, which such a launch must bear as well.
API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** values) {
    Call call("cudaLaunchKernelExC");
    Configuration c{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative) c.cooperative = attribute.val.cooperative != 0;
        if (attribute.id == cudaLaunchAttributeClusterDimension)
            c.cluster = dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
    }
    return launch(call, function, values, c);
}
