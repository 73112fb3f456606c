// expect: accepted
//
// Heat in 3D, step 3: four cells a thread, moved as float4.
//
// Added to step 2: a quarter of the loads and stores, each of 16 bytes. Left and right neighbours are in the same
// registers or in those of the lane beside; only the two lanes at a warp's ends read one float more. That leaves three
// loads for four cells where step 2 has twenty. Rows begin at multiples of 16 bytes only if W is one of 4: in other
// boxes a thread takes four cells one by one, 32 apart, so that a warp's lie together.

#define COLUMNS 32
#define ROWS 8
#define EACH 4
#define PLANES 16
#define ALL 0xffffffffu

__device__ __forceinline__ float4 load(const float* at, bool inside) {
    return inside ? *reinterpret_cast<const float4*>(at) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__device__ __forceinline__ float step(float here, float left, float right, float up, float down, float before,
                                      float behind, float alpha) {
    return here + alpha * ((left + right) + (up + down) + (before + behind) - 6.0f * here);
}

__global__ void __launch_bounds__(COLUMNS* ROWS)
    heat_kernel(const float* __restrict__ heat, float* __restrict__ next, float alpha, int D, int H, int W) {
    const int x = (blockIdx.x * COLUMNS + threadIdx.x) * EACH;
    const int y = blockIdx.y * ROWS + threadIdx.y;
    const int first = blockIdx.z * PLANES;
    const int last = min(first + PLANES, D);
    const int plane = H * W;

    if (W % EACH == 0) {
        // A warp has 128 cells of one row. All of its lanes stay, for the shuffles.
        const bool inside = y < H && x < W;
        const bool inner = y > 0 && y < H - 1;
        int i = first * plane + y * W + x;
        float4 before = load(heat + i - plane, inside && first > 0);
        float4 here = load(heat + i, inside);
        for (int z = first; z < last; z++) {
            const float4 behind = load(heat + i + plane, inside && z + 1 < D);
            float left = __shfl_up_sync(ALL, here.w, 1);
            float right = __shfl_down_sync(ALL, here.x, 1);
            if (inside) {
                if (threadIdx.x == 0 && x > 0) {
                    left = heat[i - 1];
                }
                if (threadIdx.x == COLUMNS - 1 && x + EACH < W) {
                    right = heat[i + EACH];
                }
                float4 result = here;
                if (inner && z > 0 && z < D - 1) {
                    const float4 up = load(heat + i - W, true);
                    const float4 down = load(heat + i + W, true);
                    if (x > 0) {
                        result.x = step(here.x, left, here.y, up.x, down.x, before.x, behind.x, alpha);
                    }
                    result.y = step(here.y, here.x, here.z, up.y, down.y, before.y, behind.y, alpha);
                    result.z = step(here.z, here.y, here.w, up.z, down.z, before.z, behind.z, alpha);
                    if (x + EACH < W) {
                        result.w = step(here.w, here.z, right, up.w, down.w, before.w, behind.w, alpha);
                    }
                }
                *reinterpret_cast<float4*>(next + i) = result;
            }
            before = here;
            here = behind;
            i += plane;
        }
        return;
    }
    if (y >= H) {
        return;
    }
    const int end = min((int)(blockIdx.x + 1) * COLUMNS * EACH, W);
    for (int column = blockIdx.x * COLUMNS * EACH + threadIdx.x; column < end; column += COLUMNS) {
        const bool inner = y > 0 && y < H - 1 && column > 0 && column < W - 1;
        int i = first * plane + y * W + column;
        float before = first > 0 ? heat[i - plane] : 0.0f;
        float here = heat[i];
        for (int z = first; z < last; z++) {
            const float behind = z + 1 < D ? heat[i + plane] : 0.0f;
            float result = here;
            if (inner && z > 0 && z < D - 1) {
                result = step(here, heat[i - 1], heat[i + 1], heat[i - W], heat[i + W], before, behind, alpha);
            }
            next[i] = result;
            before = here;
            here = behind;
            i += plane;
        }
    }
}
