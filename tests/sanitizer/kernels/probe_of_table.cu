// data_race: keys are looked up and put into a hash table by plain accesses
// launch: 4 64
__device__ int keys[512], counts[512];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int key = (blockIdx.x * 64 + threadIdx.x) % 50 + 1;
    for (unsigned slot = key * 2654435761u >> 23;; slot = (slot + 1) % 512) {
#ifdef FIXED
        int there = atomicCAS(&keys[slot], 0, key);
#else
        int there = keys[slot];            // found
        if (there == 0) keys[slot] = key;  // found
#endif
        if (there == 0 || there == key) {
            atomicAdd(&counts[slot], 1);
            break;
        }
    }
}
