// The device as solve() may know it: attributes from the judge's table, and the properties that follow from them.
#include <algorithm>
#include <cstring>

#include "recorder.h"

namespace kgrade {
namespace {

struct IntRow {
    int cudaDeviceProp::* field;
    cudaDeviceAttr attribute;
};

struct SizeRow {
    size_t cudaDeviceProp::* field;
    cudaDeviceAttr attribute;
};

const IntRow INTS[] = {
    {&cudaDeviceProp::regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
    {&cudaDeviceProp::warpSize, cudaDevAttrWarpSize},
    {&cudaDeviceProp::maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
    {&cudaDeviceProp::major, cudaDevAttrComputeCapabilityMajor},
    {&cudaDeviceProp::minor, cudaDevAttrComputeCapabilityMinor},
    {&cudaDeviceProp::multiProcessorCount, cudaDevAttrMultiProcessorCount},
    {&cudaDeviceProp::integrated, cudaDevAttrIntegrated},
    {&cudaDeviceProp::canMapHostMemory, cudaDevAttrCanMapHostMemory},
    {&cudaDeviceProp::concurrentKernels, cudaDevAttrConcurrentKernels},
    {&cudaDeviceProp::ECCEnabled, cudaDevAttrEccEnabled},
    {&cudaDeviceProp::asyncEngineCount, cudaDevAttrAsyncEngineCount},
    {&cudaDeviceProp::unifiedAddressing, cudaDevAttrUnifiedAddressing},
    {&cudaDeviceProp::memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
    {&cudaDeviceProp::l2CacheSize, cudaDevAttrL2CacheSize},
    {&cudaDeviceProp::persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize},
    {&cudaDeviceProp::maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
    {&cudaDeviceProp::streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
    {&cudaDeviceProp::globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
    {&cudaDeviceProp::localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
    {&cudaDeviceProp::regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
    {&cudaDeviceProp::computePreemptionSupported, cudaDevAttrComputePreemptionSupported},
    {&cudaDeviceProp::cooperativeLaunch, cudaDevAttrCooperativeLaunch},
    {&cudaDeviceProp::maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
    {&cudaDeviceProp::accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize},
    {&cudaDeviceProp::memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
    {&cudaDeviceProp::clusterLaunch, cudaDevAttrClusterLaunch},
#if CUDART_VERSION < 13000
    {&cudaDeviceProp::clockRate, cudaDevAttrClockRate},
    {&cudaDeviceProp::memoryClockRate, cudaDevAttrMemoryClockRate},
    {&cudaDeviceProp::singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio},
#endif
};

const SizeRow SIZES[] = {
    {&cudaDeviceProp::sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
    {&cudaDeviceProp::memPitch, cudaDevAttrMaxPitch},
    {&cudaDeviceProp::totalConstMem, cudaDevAttrTotalConstantMemory},
    {&cudaDeviceProp::textureAlignment, cudaDevAttrTextureAlignment},
    {&cudaDeviceProp::texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
    {&cudaDeviceProp::sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {&cudaDeviceProp::sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {&cudaDeviceProp::reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
};

}  // namespace

cudaDeviceProp device_properties() {
    const State& s = state();
    cudaDeviceProp p{};
    strncpy(p.name, s.device_name.c_str(), sizeof p.name - 1);
    p.totalGlobalMem = s.total_memory;
    for (const IntRow& row : INTS) p.*row.field = s.attribute(row.attribute);
    for (const SizeRow& row : SIZES) p.*row.field = static_cast<size_t>(s.attribute(row.attribute));
    for (int axis = 0; axis < 3; axis++) {
        p.maxThreadsDim[axis] = s.attribute(static_cast<cudaDeviceAttr>(cudaDevAttrMaxBlockDimX + axis));
        p.maxGridSize[axis] = s.attribute(static_cast<cudaDeviceAttr>(cudaDevAttrMaxGridDimX + axis));
    }
    return p;
}

}  // namespace kgrade

using namespace kgrade;

namespace {

constexpr int LAST_ATTRIBUTE = 200;  // beyond those of any CUDA so far

std::map<int, size_t> limits = {{cudaLimitStackSize, 1024},
                                {cudaLimitPrintfFifoSize, 8650752},
                                {cudaLimitMallocHeapSize, 8 << 20},
                                {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                {cudaLimitMaxL2FetchGranularity, 64},
                                {cudaLimitPersistingL2CacheSize, 0}};

cudaError_t check(Call& call, int device) {
    return device == 0 ? cudaSuccess : call.error(cudaErrorInvalidDevice, "there is one device, number 0");
}

}  // namespace

API cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}

API cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}

API cudaError_t cudaSetDevice(int device) {
    Call call("cudaSetDevice");
    return check(call, device);
}

API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    Call call("cudaInitDevice");
    return check(call, device);
}

API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
    *device = 0;
    return cudaSuccess;
}

API cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }

API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = cudaDeviceScheduleAuto;
    return cudaSuccess;
}

API cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    *can = 0;
    return cudaSuccess;
}

API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    Call call("cudaDeviceGetAttribute");
    if (const cudaError_t error = check(call, device)) return error;
    if (!value || attribute < 1 || attribute > LAST_ATTRIBUTE) return call.error(cudaErrorInvalidValue);
    *value = state().attribute(attribute);
    return cudaSuccess;
}

// CUDA 12 names it cudaGetDeviceProperties_v2 by a macro.
API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    Call call("cudaGetDeviceProperties");
    if (const cudaError_t error = check(call, device)) return error;
    if (!properties) return call.error(cudaErrorInvalidValue);
    *properties = device_properties();
    return cudaSuccess;
}

API cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

API cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    Call call("cudaDeviceGetLimit");
    const auto found = limits.find(limit);
    if (!value || found == limits.end()) return call.error(cudaErrorUnsupportedLimit);
    *value = found->second;
    return cudaSuccess;
}

API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    Call call("cudaDeviceSetLimit");
    const auto found = limits.find(limit);
    if (found == limits.end()) return call.error(cudaErrorUnsupportedLimit);
    found->second = value;
    return cudaSuccess;
}

// Preferences between L1 and shared memory, and hints on L2, are left to the GPU at replay.
API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

API cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// Of cuda_profiler_api.h.
API cudaError_t cudaProfilerStart() { return cudaSuccess; }

API cudaError_t cudaProfilerStop() { return cudaSuccess; }
