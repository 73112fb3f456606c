// expect: accepted
//
// Rays and spheres, step 3: four rays a thread.
//
// Added to step 2: a sphere is read from shared memory once for four rays, and four chains of arithmetic hide each
// other's latency. The ray's numbers are multiplied by a beforehand, which leaves eight multiply-adds for a pair. Each
// ray has a branch of its own: one for all four would be taken by most warps, since one of 128 rays often hits. Expect
// a tenth less than step 2's time, for arithmetic was its limit already.

#define BLOCK 128
#define RAYS 4

__global__ void __launch_bounds__(BLOCK)
    rays_kernel(const float* __restrict__ origins, const float* __restrict__ directions,
                const float* __restrict__ centres, const float* __restrict__ radii, float* __restrict__ distance, int R,
                int S) {
    __shared__ float4 spheres[BLOCK];
    int begin = blockIdx.x * BLOCK * RAYS + threadIdx.x;
    float ox[RAYS], oy[RAYS], oz[RAYS], dx[RAYS], dy[RAYS], a[RAYS], minus_od[RAYS], aoo[RAYS], nearest[RAYS];
#pragma unroll
    for (int r = 0; r < RAYS; r++) {
        int own = min(begin + r * BLOCK, R - 1);
        float x = origins[3 * own];
        float y = origins[3 * own + 1];
        float z = origins[3 * own + 2];
        dx[r] = directions[2 * own];
        dy[r] = directions[2 * own + 1];
        a[r] = dx[r] * dx[r] + dy[r] * dy[r] + 64.0f;
        minus_od[r] = -(x * dx[r] + y * dy[r] + z * 8.0f);
        aoo[r] = (x * x + y * y + z * z) * a[r];
        ox[r] = -2.0f * x * a[r];
        oy[r] = -2.0f * y * a[r];
        oz[r] = -2.0f * z * a[r];
        nearest[r] = INFINITY;
    }
    for (int first = 0; first < S; first += BLOCK) {
        int s = first + threadIdx.x;
        if (s < S) {
            float x = centres[3 * s];
            float y = centres[3 * s + 1];
            float z = centres[3 * s + 2];
            spheres[threadIdx.x] = make_float4(x, y, z, x * x + y * y + z * z - radii[s] * radii[s]);
        }
        __syncthreads();
        int count = min(S - first, BLOCK);
#pragma unroll 2
        for (int k = 0; k < count; k++) {
            float4 sphere = spheres[k];
#pragma unroll
            for (int r = 0; r < RAYS; r++) {
                float b = minus_od[r] + sphere.x * dx[r] + sphere.y * dy[r] + sphere.z * 8.0f;
                float ac = aoo[r] + sphere.w * a[r] + sphere.x * ox[r] + sphere.y * oy[r] + sphere.z * oz[r];
                float inside = b * b - ac;
                if (inside >= 0.0f) {
                    float root = sqrtf(inside);
                    float t = b - root > 0.0f ? b - root : b + root;
                    if (t > 0.0f && t < nearest[r]) {
                        nearest[r] = t;
                    }
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < RAYS; r++) {
        int ray = begin + r * BLOCK;
        if (ray < R) {
            distance[ray] = nearest[r] < INFINITY ? nearest[r] / a[r] : -1.0f;
        }
    }
}
