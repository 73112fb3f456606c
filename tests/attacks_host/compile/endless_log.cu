// tries: to make an error message of a gigabyte
// expect: compile_error
// seconds: 3
//
template <class A, class B> struct Pair { typename A::none x; };
using P0 = Pair<int, int>;
template <class T, int N> struct Double { using type = typename Double<Pair<T, T>, N - 1>::type; };
template <class T> struct Double<T, 0> { using type = T; };
Double<int, 27>::type::none value;
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
