// expect: accepted
//
// Rotary embedding with host code of its own: a block for each token, its angles in registers.
//
// Added to step 2: a thread keeps the cosines and sines of its pairs and goes through the token's heads, so that the
// tables are read once for a token instead of once for a head. Token and pair follow from the launch, without a
// division. What is left is one read and one write of the tensor.

#include <algorithm>
#include <cuda_runtime.h>

__device__ __forceinline__ void turn(float& x, float& y, float c, float s) {
    float before = x;
    x = before * c - y * s;
    y = y * c + before * s;
}

__device__ __forceinline__ void turn(float4& x, float4& y, float4 c, float4 s) {
    turn(x.x, y.x, c.x, s.x);
    turn(x.y, y.y, c.y, s.y);
    turn(x.z, y.z, c.z, s.z);
    turn(x.w, y.w, c.w, s.w);
}

// `half` counts Parts, floats or fours of them; blockDim.x threads share a head, blockDim.y heads are done at once.
template <typename Part>
__global__ void turn_token(const Part* __restrict__ input, const Part* __restrict__ cosines,
                           const Part* __restrict__ sines, const int* __restrict__ positions,
                           Part* __restrict__ output, int heads, int half) {
    size_t angles = (size_t)positions[blockIdx.x] * half;
    size_t token = (size_t)blockIdx.x * heads * 2 * half;
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        Part c = cosines[angles + i];
        Part s = sines[angles + i];
#pragma unroll 4
        for (int head = threadIdx.y; head < heads; head += blockDim.y) {
            size_t first = token + (size_t)head * 2 * half + i;
            Part x = input[first];
            Part y = input[first + half];
            turn(x, y, c, s);
            output[first] = x;
            output[first + half] = y;
        }
    }
}

template <typename Part>
void turn_all(const float* input, const float* cosines, const float* sines, const int* positions, float* output, int T,
              int HEADS, int half) {
    int width = std::min((half + 15) / 16 * 16, 64);
    dim3 block(width, std::max(1, std::min(256 / width, HEADS)));
    turn_token<<<T, block>>>(reinterpret_cast<const Part*>(input), reinterpret_cast<const Part*>(cosines),
                             reinterpret_cast<const Part*>(sines), positions, reinterpret_cast<Part*>(output), HEADS,
                             half);
}

extern "C" void solve(const float* input, const float* cosines, const float* sines, const int* positions, float* output,
                      int T, int HEADS, int HALF, int LENGTH) {
    if (HALF % 4 == 0) {
        turn_all<float4>(input, cosines, sines, positions, output, T, HEADS, HALF / 4);
    } else {
        turn_all<float>(input, cosines, sines, positions, output, T, HEADS, HALF);
    }
}
