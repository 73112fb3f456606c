// expect: wrong_answer wrong_value
//
// N bodies with the difference the other way round.
//
// From a body to the other is the other minus the body.

__global__ void n_body_kernel(const float* bodies, float* acceleration, float softening, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) {
        return;
    }
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    for (int j = 0; j < N; j++) {
        float dx = bodies[4 * i] - bodies[4 * j];
        float dy = bodies[4 * i + 1] - bodies[4 * j + 1];
        float dz = bodies[4 * i + 2] - bodies[4 * j + 2];
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
