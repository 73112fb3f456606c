// expect: accepted
//
// Edit distance, step 3: a column of D in the bits of a warp.
//
// Added to step 2: no cells, but in which rows a column goes up or down by 1 from the row above (Myers, 1999; in
// Hyyrö's form). A lane has 32 rows in two words, a warp all 1024, and some thirty operations take the warp to the next
// column. The one addition has a carry that may go through all lanes: lanes that produce one and lanes that pass one
// on, as the bits of two ballots, are added once more, and the sum says who gets one. Bits that shift into the next
// lane come by a shuffle.
//
// Shorter texts leave lanes idle, so as few lanes as the rows need share a pair. The letters of b are read 32 at a
// time.

#include <cuda_runtime.h>

#define BLOCK 128
#define LETTERS 4

// `lanes` neighbouring lanes take a pair: 1, 2, 4, ... 32.
__global__ void __launch_bounds__(BLOCK)
    edit(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b, int* __restrict__ distance,
         int PAIRS, int N, int M, int lanes) {
    const int thread = blockIdx.x * BLOCK + threadIdx.x;
    const int pair = thread / lanes;
    // Lanes without a pair of their own repeat the last one, because all take part in the ballots.
    const size_t p = min(pair, PAIRS - 1);
    const int lane = thread % lanes;
    const int first_lane = threadIdx.x % 32 / lanes * lanes;
    const unsigned below = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;

    // In which of this lane's rows each letter stands.
    unsigned rows[LETTERS] = {};
    for (int k = 0; k < 32; k++) {
        const int i = lane * 32 + k;
        if (i < N) {
            const unsigned letter = a[p * N + i] - 'a';
#pragma unroll
            for (int l = 0; l < LETTERS; l++) {
                rows[l] |= (unsigned)(letter == l) << k;
            }
        }
    }

    unsigned up = 0xffffffffu;  // rows that are 1 more than the row above
    unsigned down = 0;          // rows that are 1 less
    int last = N;               // the last row's cell
    const bool has_last = (N - 1) / 32 == lane;
    const int last_bit = (N - 1) % 32;
    for (int j = 0; j < M; j++) {
        const unsigned letter = b[p * M + j] - 'a';
        unsigned equal = letter & 1 ? rows[1] : rows[0];
        const unsigned equal_upper = letter & 1 ? rows[3] : rows[2];
        equal = letter & 2 ? equal_upper : equal;

        const unsigned vertical = equal | down;
        // (equal & up) + up over all lanes of the pair.
        const unsigned addend = equal & up;
        unsigned sum = addend + up;
        const unsigned produce = __ballot_sync(0xffffffffu, sum < addend) >> first_lane & below;
        const unsigned pass_on = __ballot_sync(0xffffffffu, sum == 0xffffffffu) >> first_lane & below;
        sum += (((produce << 1) + pass_on) ^ pass_on) >> lane & 1;
        const unsigned horizontal = (sum ^ up) | equal;
        unsigned right_up = down | ~(horizontal | up);
        unsigned right_down = up & horizontal;
        if (has_last) {
            last += (int)(right_up >> last_bit & 1) - (int)(right_down >> last_bit & 1);
        }
        const unsigned up_below = __shfl_up_sync(0xffffffffu, right_up, 1, 32) >> 31;
        const unsigned down_below = __shfl_up_sync(0xffffffffu, right_down, 1, 32) >> 31;
        // The row above the first one rises by 1 with each column.
        right_up = right_up << 1 | (lane == 0 ? 1 : up_below);
        right_down = right_down << 1 | (lane == 0 ? 0 : down_below);
        up = right_down | ~(vertical | right_up);
        down = right_up & vertical;
    }
    if (has_last && pair < PAIRS) {
        distance[pair] = last;
    }
}

extern "C" void solve(const unsigned char* a, const unsigned char* b, int* distance, int PAIRS, int N, int M) {
    int lanes = 1;
    while (32 * lanes < N) {
        lanes *= 2;
    }
    int pairs = BLOCK / lanes;
    edit<<<(PAIRS + pairs - 1) / pairs, BLOCK>>>(a, b, distance, PAIRS, N, M, lanes);
}
