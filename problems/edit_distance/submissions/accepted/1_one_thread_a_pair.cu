// expect: accepted
//
// Edit distance, step 1: a thread for each pair goes through D row by row.
//
// The first threads of the grid take a pair each; all the other blocks have nothing to do. The row lies in the thread's
// local memory; each cell overwrites the one above it, which the next cell needs as its upper left.

#define BLOCK 32
#define MOST 1024

__global__ void edit_distance_kernel(const unsigned char* a, const unsigned char* b, int* distance, int PAIRS, int N,
                                     int M) {
    int pair = blockIdx.x * BLOCK + threadIdx.x;
    if (pair >= PAIRS) {
        return;
    }
    int row[MOST + 1];
    a += (size_t)pair * N;
    b += (size_t)pair * M;
    for (int j = 0; j <= M; j++) {
        row[j] = j;
    }
    for (int i = 1; i <= N; i++) {
        int upper_left = row[0];
        row[0] = i;
        for (int j = 1; j <= M; j++) {
            int above = row[j];
            row[j] = min(min(above, row[j - 1]) + 1, upper_left + (a[i - 1] != b[j - 1]));
            upper_left = above;
        }
    }
    distance[pair] = row[M];
}
