// expect: runtime_error
//
// Map as an ordinary loop in solve().
//
// input and output are addresses of the GPU's memory. The host can pass them on; what it reads or writes there is not
// the arrays, but whatever its own memory has at these addresses, which is most often nothing.

#include <cmath>

extern "C" void solve(const float* input, float* output, int N) {
    for (int i = 0; i < N; i++) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));  // <- here
    }
}
