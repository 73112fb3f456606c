// expect: accepted
//
// Im2col, step 2: each quotient serves for its remainder and for the next division.
//
// Added to step 1: four divisions instead of nine, as a remainder is a difference once the quotient is known. One
// comparison asks for both ends: a negative index is a large unsigned number.

#define BLOCK 512

__global__ void __launch_bounds__(BLOCK)
    im2col_kernel(const float* __restrict__ input, float* __restrict__ output, int C, int H, int W, int K, int S, int P,
                  int OH, int OW) {
    int place = blockIdx.x * BLOCK + threadIdx.x;
    if (place >= C * K * K * OH * OW) {
        return;
    }
    int rows = place / OW;
    int j = place - rows * OW;
    int planes = rows / OH;
    int i = rows - planes * OH;
    int lines = planes / K;
    int s = planes - lines * K;
    int c = lines / K;
    int r = lines - c * K;
    int y = i * S - P + r;
    int x = j * S - P + s;
    bool inside = (unsigned)y < (unsigned)H && (unsigned)x < (unsigned)W;
    output[place] = inside ? input[((size_t)c * H + y) * W + x] : 0.0f;
}
