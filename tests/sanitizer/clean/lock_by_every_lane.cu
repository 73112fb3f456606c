// Every lane of every warp takes the lock.
// launch: 2 64
__device__ int lock, total;
extern "C" __global__ void k(float* out, const float* in, int n) {
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            total += 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
}
