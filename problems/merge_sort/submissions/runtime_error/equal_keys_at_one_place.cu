// expect: runtime_error data_race
//
// Merge sort that counts only smaller keys, in both runs.
//
// Two equal keys of different runs then have the same place, and nobody writes the one behind it.

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
                if (its < key) {
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
