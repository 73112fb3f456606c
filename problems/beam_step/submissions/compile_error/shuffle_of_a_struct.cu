// expect: compile_error
//
// Beam search that shuffles a struct.
//
// Shuffles move numbers of 32 or 64 bits; a struct has to be taken apart.

#define BLOCK 256

struct Candidate {
    float score;
    int place;
};

__global__ void beam_step_kernel(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens,
                                 int S, int B, int V) {
    int s = blockIdx.x;
    Candidate mine = {-INFINITY, 0};
    for (int c = threadIdx.x; c < B * V; c += BLOCK) {
        float score = scores[s * B + c / V] + steps[(size_t)s * B * V + c];
        if (score > mine.score) {
            mine = {score, c};
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        Candidate other = __shfl_xor_sync(0xffffffff, mine, distance);  // <- here
        if (other.score > mine.score) {
            mine = other;
        }
    }
    new_scores[s * B] = mine.score;
    parents[s * B] = mine.place / V;
    tokens[s * B] = mine.place % V;
}
