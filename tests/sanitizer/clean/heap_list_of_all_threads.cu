// All threads push nodes onto one list; the last block walks along it and gives them back.
// launch: 4 64
struct Node {
    int value;
    Node* next;
};
__device__ Node* first;
__device__ unsigned done;
extern "C" __global__ void k(float* out, const float* in, int n) {
    Node* own = new Node;
    own->value = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long* head = reinterpret_cast<unsigned long long*>(&first);
    unsigned long long seen = *reinterpret_cast<volatile unsigned long long*>(head), before;
    do {
        before = seen;
        own->next = reinterpret_cast<Node*>(before);
        __threadfence();
        seen = atomicCAS(head, before, reinterpret_cast<unsigned long long>(own));
    } while (seen != before);
    __threadfence();
    __syncthreads();
    if (threadIdx.x) return;
    if (atomicAdd(&done, 1) != gridDim.x - 1) return;
    __threadfence();
    Node* at = reinterpret_cast<Node*>(atomicExch(head, 0ull));
    int sum = 0;
    while (at) {
        Node* next = at->next;
        sum += at->value;
        delete at;
        at = next;
    }
    out[0] = sum;
}
