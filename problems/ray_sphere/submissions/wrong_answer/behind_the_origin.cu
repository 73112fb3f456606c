// expect: wrong_answer wrong_value
//
// Rays and spheres without a look at the sign.
//
// A sphere behind the origin has negative times, which are smaller than all others.

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
            if (t < nearest) {
                nearest = t;
            }
        }
    }
    distance[ray] = nearest < INFINITY ? nearest / a : -1.0f;
}
