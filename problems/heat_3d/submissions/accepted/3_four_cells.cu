// expect: accepted
//
// Heat in 3D, step 3: four cells a thread, moved as float4.
//
// Added to step 2: a quarter of the loads and stores, each of 16 bytes. Left and right neighbours are in the same
// registers or in those of the lane beside; only the two lanes at a warp's ends read one float more. That leaves three
// loads for four cells where step 2 has twenty. Rows begin at multiples of 16 bytes only if W is one of 4: in other
// boxes a thread's four cells are 32 apart, so that those of a warp lie together, and are loaded one by one. With a
// quarter of the threads, eight planes each instead of sixteen keep the GPU busy.

#define COLUMNS 32
#define ROWS 8
#define EACH 4
#define PLANES 8
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
    // The four cells of a plane are asked for together.
    const int column = blockIdx.x * COLUMNS * EACH + threadIdx.x;
    const bool inner = y > 0 && y < H - 1;
    int i = first * plane + y * W + column;
    float before[EACH], here[EACH], behind[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const bool inside = column + k * COLUMNS < W;
        before[k] = inside && first > 0 ? heat[i + k * COLUMNS - plane] : 0.0f;
        here[k] = inside ? heat[i + k * COLUMNS] : 0.0f;
    }
    for (int z = first; z < last; z++) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            behind[k] = column + k * COLUMNS < W && z + 1 < D ? heat[i + k * COLUMNS + plane] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int at = i + k * COLUMNS;
            const int x = column + k * COLUMNS;
            if (x < W) {
                float result = here[k];
                if (inner && z > 0 && z < D - 1 && x > 0 && x < W - 1) {
                    result = step(here[k], heat[at - 1], heat[at + 1], heat[at - W], heat[at + W], before[k], behind[k],
                                  alpha);
                }
                next[at] = result;
            }
            before[k] = here[k];
            here[k] = behind[k];
        }
        i += plane;
    }
}
