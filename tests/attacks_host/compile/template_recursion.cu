// tries: to make templates without an end
// expect: compile_error
// says: excessive recursion|depth
//
template <int N> struct Endless { static const int value = Endless<N + 1>::value + 1; };
const int endless = Endless<0>::value;
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
