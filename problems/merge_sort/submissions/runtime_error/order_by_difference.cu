// expect: runtime_error data_race
//
// Merge sort that compares by subtracting.
//
// The difference of two keys far apart doesn't fit into an int, and comes out with the other sign. That is
// no order at all: two keys may find the same place.

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
                // The difference as one of 32 bits, as `its - key` is on every GPU.
                int difference = (int)((unsigned)its - (unsigned)key);
                if (difference < 0 || (difference == 0 && !left)) {
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
