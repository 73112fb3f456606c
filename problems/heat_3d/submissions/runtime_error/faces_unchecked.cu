// expect: runtime_error out_of_bounds
//
// Heat in 3D without a check for the first and the last plane.
//
// The student brought the condition along from two dimensions. Before the first plane there is no memory.

__global__ void heat_kernel(const float* heat, float* next, float alpha, int D, int H, int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (y < H && x < W) {
        int i = (z * H + y) * W + x;
        float here = heat[i];
        if (y > 0 && y < H - 1 && x > 0 && x < W - 1) {
            float planes = heat[i - H * W] + heat[i + H * W];  // <- here
            float sum = planes + heat[i - W] + heat[i + W] + heat[i - 1] + heat[i + 1];
            next[i] = here + alpha * (sum - 6.0f * here);
        } else {
            next[i] = here;
        }
    }
}
