// expect: wrong_answer changed_input
// problem: zip
// row: 15
//
// Has a variable of the same name as the input that it clears, for a judge that looks arrays up by name.

extern "C" __device__ float a[1 << 20];
__device__ float decoy(int i) { return a[i & 1023]; }

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    const_cast<float*>(a)[i] = decoy(i);
    output[i] = b[i];
}
