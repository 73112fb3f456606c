// A stack that all blocks push to: a node is published by the swap that puts it on top.
// launch: 4 32
struct Node {
    int next;
    float value;
};
__device__ Node nodes[64];
__device__ int top, used;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
    int mine = atomicAdd(&used, 1) + 1;
    nodes[mine].value = in[mine];
    int below = atomicAdd(&top, 0);
    for (int seen = -1; seen != below;) {
        if (seen >= 0) below = seen;
        nodes[mine].next = below;
        __threadfence();
        seen = atomicCAS(&top, below, mine);
    }
    __threadfence();
    float sum = 0;
    for (int at = mine; at != 0; at = nodes[at].next) sum += nodes[at].value;
    out[blockIdx.x] = sum;
}
