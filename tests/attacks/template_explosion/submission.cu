// expect: compile_error
// problem: zip
// row: emulator
//
// A template with 2^24 instances.

template <int N, int M> struct Wide {
    static const int value = Wide<N - 1, M * 2>::value + Wide<N - 1, M * 2 + 1>::value;
};
template <int M> struct Wide<0, M> {
    static const int value = 1;
};
__device__ int q = Wide<24, 1>::value;
