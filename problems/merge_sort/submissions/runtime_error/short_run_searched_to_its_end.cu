// expect: runtime_error out_of_bounds
//
// Merge sort that takes every run for a whole one.
//
// The last run is shorter, or isn't there at all.

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
            int high = other + width;
            while (low < high) {
                int middle = (low + high) / 2;
                int its = keys[from[middle]];  // <- here
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
