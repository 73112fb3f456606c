// expect: wrong_answer
//
// Heat in 3D that adds up neighbours in fp16.
//
// The student expected the difference to be small, and a small error with it. The sum is not small.

#include <cuda_fp16.h>

__global__ void heat_kernel(const float* heat, float* next, float alpha, int D, int H, int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (y < H && x < W) {
        int i = (z * H + y) * W + x;
        float here = heat[i];
        if (z > 0 && z < D - 1 && y > 0 && y < H - 1 && x > 0 && x < W - 1) {
            __half planes = __hadd(__float2half(heat[i - H * W]), __float2half(heat[i + H * W]));
            __half rows = __hadd(__float2half(heat[i - W]), __float2half(heat[i + W]));
            __half columns = __hadd(__float2half(heat[i - 1]), __float2half(heat[i + 1]));
            float sum = __half2float(__hadd(__hadd(planes, rows), columns));
            next[i] = here + alpha * (sum - 6.0f * here);
        } else {
            next[i] = here;
        }
    }
}
