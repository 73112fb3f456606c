// Rays and spheres: the smallest t > 0 at which origin + t * direction is on the surface of a sphere, -1 if none is.
//
// The kernel gets BLOCK threads for BLOCK * RAYS rays. You may change both numbers: any constant expressions, BLOCK up
// to 1024.
#define BLOCK 256
#define RAYS 1

__global__ void rays_kernel(const float* origins, const float* directions, const float* centres, const float* radii,
                            float* distance, int R, int S) {
    int ray = blockIdx.x * blockDim.x + threadIdx.x;
    // The grid is rounded up to whole blocks: some threads have no ray.
    if (ray < R) {
        float first = -1.0f;
        // Your turn: look at all S spheres. The direction is (directions[2 * ray], directions[2 * ray + 1], 8).
        distance[ray] = first;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* origins, const float* directions, const float* centres, const float* radii,
                      float* distance, int R, int S) {
    int blocks = (R + BLOCK * RAYS - 1) / (BLOCK * RAYS);
    rays_kernel<<<blocks, BLOCK>>>(origins, directions, centres, radii, distance, R, S);
}
