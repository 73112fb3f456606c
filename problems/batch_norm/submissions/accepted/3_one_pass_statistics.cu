// expect: accepted
//
// Batch norm, step 3: mean and variance in one pass, by float4, with 1024 threads.
//
// Added to step 2: sums of differences from the channel's first element, and of their squares, give both statistics
// at once; as that element is one of the channel, the differences are as small as the deviation, and nothing cancels.
// The channel is read twice instead of three times, the second time from the cache as far as it fits. Two additions
// and a comparison replace the divisions, and blocks of 1024 threads fill the GPU with few channels.

#define BLOCK 1024

struct Sums {
    float differences;
    float squares;

    __device__ __forceinline__ void add(float x, float pivot) {
        differences += x - pivot;
        squares += (x - pivot) * (x - pivot);
    }

    __device__ __forceinline__ void add(float4 x, float pivot) {
        add(x.x, pivot);
        add(x.y, pivot);
        add(x.z, pivot);
        add(x.w, pivot);
    }
};

__device__ __forceinline__ Sums of_warp(Sums sums) {
    for (int distance = 16; distance > 0; distance /= 2) {
        sums.differences += __shfl_xor_sync(0xffffffff, sums.differences, distance);
        sums.squares += __shfl_xor_sync(0xffffffff, sums.squares, distance);
    }
    return sums;
}

__device__ __forceinline__ float scaled(float x, float center, float factor, float shift) {
    return (x - center) * factor + shift;
}

__device__ __forceinline__ float4 scaled(float4 x, float center, float factor, float shift) {
    return {scaled(x.x, center, factor, shift), scaled(x.y, center, factor, shift), scaled(x.z, center, factor, shift),
            scaled(x.w, center, factor, shift)};
}

// Goes through a channel, `length` Parts in each of B images: every BLOCK-th from `thread` on.
struct Walk {
    int image, place, images_a_step, places_a_step, length;
    size_t stride, first;

    __device__ __forceinline__ Walk(int C, int length) : length(length) {
        image = threadIdx.x / length;
        place = threadIdx.x % length;
        images_a_step = BLOCK / length;
        places_a_step = BLOCK % length;
        stride = (size_t)C * length;
        first = (size_t)blockIdx.x * length;
    }

    __device__ __forceinline__ size_t index() const {
        return image * stride + first + place;
    }

    __device__ __forceinline__ void step() {
        image += images_a_step;
        place += places_a_step;
        if (place >= length) {
            place -= length;
            image++;
        }
    }
};

template <typename Part>
__device__ __forceinline__ void normalise(const Part* __restrict__ input, const float* __restrict__ weight,
                                          const float* __restrict__ bias, Part* __restrict__ output,
                                          float* __restrict__ mean, float* __restrict__ variance, float pivot, int B,
                                          int C, int length, float elements) {
    __shared__ Sums parts[BLOCK / 32];
    Sums sums = {0.0f, 0.0f};
#pragma unroll 4
    for (Walk walk(C, length); walk.image < B; walk.step()) {
        sums.add(input[walk.index()], pivot);
    }
    sums = of_warp(sums);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = sums;
    }
    __syncthreads();
    sums = of_warp(parts[lane]);

    float shift = sums.differences / elements;
    float center = pivot + shift;
    float spread = fmaxf(sums.squares / elements - shift * shift, 0.0f);
    float factor = weight[blockIdx.x] / sqrtf(spread + 1e-5f);
    float added = bias[blockIdx.x];
#pragma unroll 4
    for (Walk walk(C, length); walk.image < B; walk.step()) {
        output[walk.index()] = scaled(input[walk.index()], center, factor, added);
    }
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = center;
        variance[blockIdx.x] = spread;
    }
}

__global__ void __launch_bounds__(BLOCK)
    batch_norm_kernel(const float* __restrict__ input, const float* __restrict__ weight,
                      const float* __restrict__ bias, float* __restrict__ output, float* __restrict__ mean,
                      float* __restrict__ variance, int B, int C, int L) {
    float pivot = input[(size_t)blockIdx.x * L];
    float elements = (float)B * L;
    if (L % 4 == 0) {
        normalise(reinterpret_cast<const float4*>(input), weight, bias, reinterpret_cast<float4*>(output), mean,
                  variance, pivot, B, C, L / 4, elements);
    } else {
        normalise(input, weight, bias, output, mean, variance, pivot, B, C, L, elements);
    }
}
