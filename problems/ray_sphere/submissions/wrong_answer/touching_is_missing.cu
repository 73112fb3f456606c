// expect: wrong_answer wrong_value
//
// Rays and spheres that ask for D > 0.
//
// A ray that touches a sphere meets it; with whole numbers that happens.

#define BLOCK 256

__global__ void __launch_bounds__(BLOCK)
    rays_kernel(const float* __restrict__ origins, const float* __restrict__ directions,
                const float* __restrict__ centres, const float* __restrict__ radii, float* __restrict__ distance, int R,
                int S) {
    __shared__ float4 spheres[BLOCK];
    int ray = blockIdx.x * BLOCK + threadIdx.x;
    // Threads without a ray take the last one, because the others need their help with the spheres.
    int own = min(ray, R - 1);
    float ox = origins[3 * own];
    float oy = origins[3 * own + 1];
    float oz = origins[3 * own + 2];
    float dx = directions[2 * own];
    float dy = directions[2 * own + 1];
    float dz = 8.0f;
    float a = dx * dx + dy * dy + dz * dz;
    float minus_od = -(ox * dx + oy * dy + oz * dz);
    float oo = ox * ox + oy * oy + oz * oz;
    ox *= -2.0f;
    oy *= -2.0f;
    oz *= -2.0f;
    float nearest = INFINITY;
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
        for (int k = 0; k < count; k++) {
            float4 sphere = spheres[k];
            float b = minus_od + sphere.x * dx + sphere.y * dy + sphere.z * dz;
            float c = oo + sphere.w + sphere.x * ox + sphere.y * oy + sphere.z * oz;
            float inside = b * b - a * c;
            if (inside > 0.0f) {
                float root = sqrtf(inside);
                float t = b - root > 0.0f ? b - root : b + root;
                if (t > 0.0f && t < nearest) {
                    nearest = t;
                }
            }
        }
        __syncthreads();
    }
    if (ray < R) {
        distance[ray] = nearest < INFINITY ? nearest / a : -1.0f;
    }
}
