// expect: compile_error
//
// Heat in 3D that indexes a pointer three times.
//
// heat is a pointer to floats: heat[z] is a float already, and has no elements.

__global__ void heat_kernel(const float* heat, float* next, float alpha, int D, int H, int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (y < H && x < W) {
        int i = (z * H + y) * W + x;
        float here = heat[z][y][x];  // <- here
        if (z > 0 && z < D - 1 && y > 0 && y < H - 1 && x > 0 && x < W - 1) {
            float sum = heat[i - H * W] + heat[i + H * W] + heat[i - W] + heat[i + W] + heat[i - 1] + heat[i + 1];
            next[i] = here + alpha * (sum - 6.0f * here);
        } else {
            next[i] = here;
        }
    }
}
