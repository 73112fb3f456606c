// problem: map
// expect: runtime_error unsupported_call
// sizes: N=1000
//
// A texture of an array.

__global__ void sigmoid(cudaTextureObject_t input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + expf(-tex1Dfetch<float>(input, i)));
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void*)input;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();  // <- here
    resource.res.linear.sizeInBytes = N * sizeof(float);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    sigmoid<<<(N + 127) / 128, 128>>>(texture, output, N);
}
