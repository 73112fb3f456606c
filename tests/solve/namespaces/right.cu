// problem: map
// expect: accepted
// sizes: N=1 N=1000
//
// Kernels of one name in two namespaces, one of them without a name, and static helpers.

namespace mine {
namespace detail {
static __device__ float exponential(float x) { return expf(x); }
}  // namespace detail

static __global__ void apply(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = detail::exponential(-input[i]);
}
}  // namespace mine

namespace {
__global__ void apply(float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + output[i]);
}
}  // namespace

extern "C" {
void solve(const float* input, float* output, int N) {
    mine::apply<<<(N + 127) / 128, 128>>>(input, output, N);
    apply<<<(N + 127) / 128, 128>>>(output, N);
}
}
