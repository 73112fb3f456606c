// expect: compile_error
// problem: zip
// row: emulator
//
// A template that needs itself.

template <int N> struct Deep {
    static const int value = Deep<N + 1>::value;
};
__device__ int q = Deep<0>::value;
