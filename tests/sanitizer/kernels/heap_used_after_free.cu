// out_of_bounds: a node of a list is read after it was given back
// launch: 2 64
struct Node {
    float value;
    Node* next;
};
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Node* first = nullptr;
    for (int j = 0; j < 4; ++j) first = new Node{in[i] + j, first};
    float sum = 0;
    for (Node* at = first; at;) {
        sum += at->value;
#ifdef FIXED
        Node* next = at->next;
        delete at;
        at = next;
#else
        delete at;
        at = at->next;  // found
#endif
    }
    out[i] = sum;
}
