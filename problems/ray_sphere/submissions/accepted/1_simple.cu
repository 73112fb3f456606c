// expect: accepted
//
// Rays and spheres, step 1: a thread for each ray, all spheres one after the other.
//
// The division by a is the same for all spheres and changes no order: it comes last. All lanes of a warp read the same
// sphere, which the cache hands out in one go.

#define BLOCK 256

__global__ void rays_kernel(const float* origins, const float* directions, const float* centres, const float* radii,
                            float* distance, int R, int S) {
    int ray = blockIdx.x * BLOCK + threadIdx.x;
    if (ray >= R) {
        return;
    }
    float dx = directions[2 * ray];
    float dy = directions[2 * ray + 1];
    float dz = 8.0f;
    float a = dx * dx + dy * dy + dz * dz;
    float nearest = INFINITY;
    for (int s = 0; s < S; s++) {
        float x = centres[3 * s] - origins[3 * ray];
        float y = centres[3 * s + 1] - origins[3 * ray + 1];
        float z = centres[3 * s + 2] - origins[3 * ray + 2];
        float b = x * dx + y * dy + z * dz;
        float c = x * x + y * y + z * z - radii[s] * radii[s];
        float inside = b * b - a * c;
        if (inside >= 0.0f) {
            float root = sqrtf(inside);
            float t = b - root > 0.0f ? b - root : b + root;
            if (t > 0.0f && t < nearest) {
                nearest = t;
            }
        }
    }
    distance[ray] = nearest < INFINITY ? nearest / a : -1.0f;
}
