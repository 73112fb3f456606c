// expect: runtime_error
// says: solve() threw an exception: vector::_M_range_check: __n (which is 3) >= this->size() (which is 2)
#include <vector>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    std::vector<int> sizes(2);
    sizes.at(3) = 1;
}
