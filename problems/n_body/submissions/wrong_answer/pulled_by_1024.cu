// expect: wrong_answer wrong_value
//
// N-body where 1,024 bodies pull.
//
// As many as a block has threads.

__global__ void n_body_kernel(const float* bodies, float* acceleration, float softening, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) {
        return;
    }
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    for (int j = 0; j < min(N, 1024); j++) {
        float dx = bodies[4 * j] - bodies[4 * i];
        float dy = bodies[4 * j + 1] - bodies[4 * i + 1];
        float dz = bodies[4 * j + 2] - bodies[4 * i + 2];
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening * softening);
        float weight = bodies[4 * j + 3] * inverse * inverse * inverse;
        x += dx * weight;
        y += dy * weight;
        z += dz * weight;
    }
    acceleration[3 * i] = x;
    acceleration[3 * i + 1] = y;
    acceleration[3 * i + 2] = z;
}
