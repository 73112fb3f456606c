// expect: runtime_error
// says: solve() throws std::out_of_range (vector::_M_range_check: __n (which is 3) >= this->size() (which is 2))
#include <vector>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    std::vector<int> sizes(2);
    try {
        throw 1;
    } catch (int) {
    }
    sizes.at(3) = 1;  // <- here
}
