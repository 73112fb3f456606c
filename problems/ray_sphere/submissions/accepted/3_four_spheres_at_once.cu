// expect: accepted
//
// Rays and spheres, step 3: four spheres at once, and a short root.
//
// Added to step 2: everything up to D is done for four spheres before the first branch, so that four loads and four
// chains of arithmetic wait side by side. Multiplied by a beforehand, the ray's numbers leave eight multiply-adds a
// pair, and all of them stay whole numbers below 2^24. One warp in three finds a lane whose line meets the sphere, so
// what is behind the branch counts too: rsqrtf and a product replace sqrtf, whose check is a branch of its own. The
// root is rounded differently then, and may be, for it decides nothing but the distance: which side of the sphere comes
// first is asked of whole numbers. Expect a tenth less than step 2's time with a million rays, and more with few, whose
// warps do not hide the chains.

#define BLOCK 256
#define GROUP 4

__global__ void __launch_bounds__(BLOCK)
    rays_kernel(const float* __restrict__ origins, const float* __restrict__ directions,
                const float* __restrict__ centres, const float* __restrict__ radii, float* __restrict__ distance, int R,
                int S) {
    __shared__ float4 spheres[BLOCK];
    int ray = blockIdx.x * BLOCK + threadIdx.x;
    int own = min(ray, R - 1);
    float ox = origins[3 * own];
    float oy = origins[3 * own + 1];
    float oz = origins[3 * own + 2];
    float dx = directions[2 * own];
    float dy = directions[2 * own + 1];
    float dz = 8.0f;
    float a = dx * dx + dy * dy + dz * dz;
    float minus_od = -(ox * dx + oy * dy + oz * dz);
    float aoo = a * (ox * ox + oy * oy + oz * oz);
    ox *= -2.0f * a;
    oy *= -2.0f * a;
    oz *= -2.0f * a;
    float nearest = INFINITY;
    for (int first = 0; first < S; first += BLOCK) {
        int s = first + threadIdx.x;
        if (s < S) {
            float x = centres[3 * s];
            float y = centres[3 * s + 1];
            float z = centres[3 * s + 2];
            spheres[threadIdx.x] = make_float4(x, y, z, x * x + y * y + z * z - radii[s] * radii[s]);
        } else {
            // The last group is filled up with spheres that no ray meets: their D is negative.
            spheres[threadIdx.x] = make_float4(0.0f, 0.0f, 0.0f, 1e6f);
        }
        __syncthreads();
        int count = min(S - first, BLOCK);
        for (int k = 0; k < count; k += GROUP) {
            float b[GROUP], ac[GROUP], inside[GROUP];
#pragma unroll
            for (int i = 0; i < GROUP; i++) {
                float4 sphere = spheres[k + i];
                b[i] = minus_od + sphere.x * dx + sphere.y * dy + sphere.z * dz;
                ac[i] = aoo + sphere.w * a + sphere.x * ox + sphere.y * oy + sphere.z * oz;
                inside[i] = b[i] * b[i] - ac[i];
            }
#pragma unroll
            for (int i = 0; i < GROUP; i++) {
                if (inside[i] >= 0.0f) {
                    // A whole number: what is below 1 is 0, and so is its root.
                    float root = inside[i] * rsqrtf(fmaxf(inside[i], 1.0f));
                    // a·c is positive where the origin lies outside of the sphere. Then the near side comes first, and
                    // both are behind unless b is positive.
                    float t = ac[i] > 0.0f ? b[i] - root : b[i] + root;
                    if ((b[i] > 0.0f || ac[i] < 0.0f) && t < nearest) {
                        nearest = t;
                    }
                }
            }
        }
        __syncthreads();
    }
    if (ray < R) {
        distance[ray] = nearest < INFINITY ? nearest / a : -1.0f;
    }
}
