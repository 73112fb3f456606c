// tries: to take all memory or time by templates
// expect: compile_error
// seconds: 3
// says: memory|longer|too long|crashed|recursion
//
template <int A, int B, int C> struct Tree {
    static const int value = Tree<A - 1, B, C * 2>::value + Tree<A - 1, B + 1, C * 2 + 1>::value;
};
template <int B, int C> struct Tree<0, B, C> { static const int value = B; };
const int tree = Tree<24, 0, 0>::value;
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
