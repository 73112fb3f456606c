// problem: matmul
// expect: accepted
// sizes: M=1,N=1,K=1 M=40,N=33,K=17
//
// A template of a kernel, chosen by a lambda of the host and a recursive template.

#include <functional>

template <int TILE, typename T>
__global__ void multiply(const T* A, const T* B, T* C, int M, int N, int K) {
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row >= M || column >= K) return;
    T sum = 0;
    for (int k = 0; k < N; k++) sum += A[row * N + k] * B[k * K + column];
    C[row * K + column] = sum;
}

template <int TILE>
struct Launcher {
    template <typename F>
    static void smallest(int extent, F launch) {
        if (extent <= TILE || TILE >= 32) {
            launch(std::integral_constant<int, TILE>());
        } else {
            Launcher<(TILE < 32 ? 2 * TILE : TILE)>::smallest(extent, launch);
        }
    }
};

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    auto blocks = [](int extent, int tile) { return (extent + tile - 1) / tile; };
    Launcher<4>::smallest(M > K ? M : K, [&](auto tile) {
        constexpr int TILE = decltype(tile)::value;
        dim3 grid(blocks(K, TILE), blocks(M, TILE));
        multiply<TILE, float><<<grid, dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    });
}
