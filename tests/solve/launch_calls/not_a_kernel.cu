// problem: zip
// expect: runtime_error launch_failure
// sizes: N=1000
//
// The function that is launched belongs to the host.

void add(const float* a, const float* b, float* output, int N) {
    for (int i = 0; i < N; i++) output[i] = a[i] + b[i];
}

__global__ void nothing() {}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    nothing<<<1, 1>>>();
    void* arguments[] = {&a, &b, &output, &N};
    cudaLaunchKernel((void*)add, dim3((N + 127) / 128), dim3(128), arguments, 0, nullptr);  // <- here
}
