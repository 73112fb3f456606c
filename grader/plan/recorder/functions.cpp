// Kernels as solve() may ask about them: attributes, and how many blocks an SM holds (by NVIDIA's cuda_occupancy.h).
#include <cuda_occupancy.h>

#include <algorithm>

#include "recorder.h"

namespace kgrade {
cudaDeviceProp device_properties();
}

using namespace kgrade;

namespace {

Kernel* find_kernel(Call& call, const void* function) {
    const auto found = state().functions.find(function);
    if (found != state().functions.end() && found->second) return found->second;
    call.error(cudaErrorInvalidDeviceFunction, "the function is no kernel of this file");
    return nullptr;
}

// As CUDA answers: launch bounds play no part, and a limit of dynamic memory below the ordinary one does not either.
cudaOccFuncAttributes attributes_of(const Kernel& kernel) {
    const int ordinary = state().attribute(cudaDevAttrMaxSharedMemoryPerBlock) - kernel.shared_bytes;
    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = state().attribute(cudaDevAttrMaxThreadsPerBlock);
    attributes.numRegs = kernel.registers;
    attributes.sharedSizeBytes = static_cast<size_t>(kernel.shared_bytes);
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = static_cast<size_t>(std::max(ordinary, kernel.dynamic_limit));
    attributes.numBlockBarriers = 1;
    return attributes;
}

cudaOccDeviceState state_for(const Kernel& kernel) {
    cudaOccDeviceState device_state;
    device_state.carveoutConfig = kernel.carveout;
    return device_state;
}

int blocks_held(const Kernel& kernel, int threads, size_t shared_bytes) {
    const cudaDeviceProp properties = device_properties();
    const cudaOccDeviceProp device(properties);
    const cudaOccFuncAttributes attributes = attributes_of(kernel);
    const cudaOccDeviceState device_state = state_for(kernel);
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &attributes, &device_state, threads, shared_bytes) !=
        CUDA_OCC_SUCCESS)
        return 0;
    return result.activeBlocksPerMultiprocessor;
}

cudaError_t active_blocks(Call& call, int* blocks, const void* function, int threads, size_t shared_bytes) {
    const Kernel* kernel = find_kernel(call, function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!blocks || threads < 1) return call.error(cudaErrorInvalidValue);
    *blocks = blocks_held(*kernel, threads, shared_bytes);
    return cudaSuccess;
}

int cluster_size(const cudaLaunchConfig_t* config) {
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            const auto& c = config->attrs[i].val.clusterDim;
            return static_cast<int>(std::max(1u, c.x * c.y * c.z));
        }
    return 1;
}

}  // namespace

API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    Call call("cudaFuncGetAttributes");
    const Kernel* kernel = find_kernel(call, function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    const int version = 10 * state().attribute(cudaDevAttrComputeCapabilityMajor) +
                        state().attribute(cudaDevAttrComputeCapabilityMinor);
    *attributes = {};
    attributes->sharedSizeBytes = static_cast<size_t>(kernel->shared_bytes);
    attributes->constSizeBytes = state().constant_bytes;
    attributes->localSizeBytes = static_cast<size_t>(kernel->local_bytes);
    attributes->maxThreadsPerBlock = kernel->max_threads;
    attributes->numRegs = kernel->registers;
    attributes->ptxVersion = version;
    attributes->binaryVersion = version;
    attributes->maxDynamicSharedSizeBytes = kernel->dynamic_limit;
    attributes->preferredShmemCarveout = kernel->carveout;
    attributes->nonPortableClusterSizeAllowed = kernel->wide_clusters;
    return cudaSuccess;
}

API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    Call call("cudaFuncSetAttribute");
    Kernel* kernel = find_kernel(call, function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    const int most = state().attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - kernel->shared_bytes;
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 || value > most)
                return call.error(cudaErrorInvalidValue, std::to_string(value) +
                                                             " bytes of dynamic shared memory; this kernel may have " +
                                                             std::to_string(most) + " on this GPU");
            kernel->dynamic_limit = value;
            return cudaSuccess;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < -1 || value > 100) return call.error(cudaErrorInvalidValue);
            kernel->carveout = value;
            return cudaSuccess;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            kernel->wide_clusters = value != 0;
            return cudaSuccess;
        default:
            return attribute < cudaFuncAttributeMax ? cudaSuccess : call.error(cudaErrorInvalidValue);
    }
}

API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    Call call("cudaFuncSetCacheConfig");
    return find_kernel(call, function) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

API cudaError_t cudaFuncGetName(const char** name, const void* function) {
    Call call("cudaFuncGetName");
    const Kernel* kernel = find_kernel(call, function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    *name = kernel->symbol.c_str();
    return cudaSuccess;
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                              size_t shared_bytes) {
    Call call("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return active_blocks(call, blocks, function, threads, shared_bytes);
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                       size_t shared_bytes, unsigned) {
    Call call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
    return active_blocks(call, blocks, function, threads, shared_bytes);
}

API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                          int threads) {
    Call call("cudaOccupancyAvailableDynamicSMemPerBlock");
    const Kernel* kernel = find_kernel(call, function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    const cudaDeviceProp properties = device_properties();
    const cudaOccDeviceProp device(properties);
    cudaOccFuncAttributes attributes = attributes_of(*kernel);
    attributes.maxDynamicSharedSizeBytes = static_cast<size_t>(kernel->dynamic_limit);
    const cudaOccDeviceState device_state = state_for(*kernel);
    if (cudaOccAvailableDynamicSMemPerBlock(bytes, &device, &attributes, &device_state, blocks, threads) !=
        CUDA_OCC_SUCCESS)
        return call.error(cudaErrorInvalidValue);
    return cudaSuccess;
}

// A lower bound: a cluster runs within one of the GPU's parts, whose sizes the GPU alone knows. Large clusters leave
// some of their SMs free.
API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config) {
    Call call("cudaOccupancyMaxActiveClusters");
    int blocks = 0;
    const unsigned threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
    if (const cudaError_t error =
            active_blocks(call, &blocks, function, static_cast<int>(threads), config->dynamicSmemBytes))
        return error;
    const int size = cluster_size(config);
    const bool wide = state().functions[function]->wide_clusters;
    const int most = state().attribute(cudaDevAttrClusterLaunch) == 0 ? 1 : wide ? 16 : 8;
    if (size > most) return call.error(cudaErrorInvalidClusterSize);
    const int processors = state().attribute(cudaDevAttrMultiProcessorCount);
    *clusters = blocks * ((size < 4 ? processors : processors * 15 / 16) / size);
    return cudaSuccess;
}

API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const cudaLaunchConfig_t*) {
    Call call("cudaOccupancyMaxPotentialClusterSize");
    const Kernel* kernel = find_kernel(call, function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    *size = state().attribute(cudaDevAttrClusterLaunch) == 0 ? 1 : kernel->wide_clusters ? 16 : 8;
    return cudaSuccess;
}
