// A launch with a cluster, of a kernel that takes tensor maps: one as an argument, one inside another.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <initializer_list>

struct Maps {
    int rows;
    CUtensorMap map;
};

__global__ void take(const __grid_constant__ CUtensorMap map, const __grid_constant__ Maps maps, float* C) {
    if (threadIdx.x == 0) C[blockIdx.x] = maps.rows;
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault, &found);
    CUtensorMap map;
    Maps maps = {25, {}};
    cuuint64_t dims[] = {40, 25}, strides[] = {160};
    cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    for (CUtensorMap* each : {&map, &maps.map})
        encode(each, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void*)(each == &map ? A : B), dims, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, take, map, maps, C);
}
