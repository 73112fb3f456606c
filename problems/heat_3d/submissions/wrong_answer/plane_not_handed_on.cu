// expect: wrong_answer wrong_value
//
// Heat in 3D whose thread keeps the plane before its first one for good.
//
// On the way through the planes all three registers have to move on.

#define PLANES 16

__global__ void heat_kernel(const float* __restrict__ heat, float* __restrict__ next, float alpha, int D, int H,
                            int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= H || x >= W) {
        return;
    }
    int plane = H * W;
    int first = blockIdx.z * PLANES;
    int i = first * plane + y * W + x;
    bool inner = y > 0 && y < H - 1 && x > 0 && x < W - 1;
    float before = first > 0 ? heat[i - plane] : 0.0f;
    float here = heat[i];
    for (int z = first; z < min(first + PLANES, D); z++) {
        float behind = z + 1 < D ? heat[i + plane] : 0.0f;
        float result = here;
        if (inner && z > 0 && z < D - 1) {
            float sum = before + behind + heat[i - W] + heat[i + W] + heat[i - 1] + heat[i + 1];
            result += alpha * (sum - 6.0f * here);
        }
        next[i] = result;
        here = behind;
        i += plane;
    }
}
