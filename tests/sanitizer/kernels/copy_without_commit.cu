// data_race: waiting for groups does not wait for a copy that is in no group yet
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&s[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t) : "memory");
#ifdef FIXED
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[t] = s[127 - t];  // found
}
