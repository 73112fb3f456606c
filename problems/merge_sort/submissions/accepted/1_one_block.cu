// expect: accepted
//
// Merge sort, step 1: one block, and a binary search for each key at each level.
//
// A key's place in the merged run is its place in its own run plus how many keys of the other run come before it. So
// all keys of a level find theirs at once. What is merged are lists of places, one in each output; which of the two is
// the first is chosen so that the last list ends in `places`. Every comparison reads a place and then a key.

#define BLOCK 1024

__global__ void merge_sort_kernel(const int* keys, int* sorted_keys, int* places, int N) {
    bool odd = false;
    for (int width = 1; width < N; width *= 2) {
        odd = !odd;
    }
    int* from = odd ? sorted_keys : places;
    int* to = odd ? places : sorted_keys;
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        from[i] = i;
    }
    __syncthreads();
    for (int width = 1; width < N; width *= 2) {
        for (int i = threadIdx.x; i < N; i += BLOCK) {
            int place = from[i];
            int key = keys[place];
            int start = i / (2 * width) * (2 * width);
            bool left = i < start + width;
            int other = left ? min(start + width, N) : start;
            int low = other;
            int high = min(other + width, N);
            while (low < high) {
                int middle = (low + high) / 2;
                int its = keys[from[middle]];
                // Of equal keys that of the left run comes first.
                if (its < key || (its == key && !left)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            int own = left ? i - start : i - start - width;
            to[start + own + low - other] = place;
        }
        __syncthreads();
        int* held = from;
        from = to;
        to = held;
    }
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        sorted_keys[i] = keys[places[i]];
    }
}
