// expect: runtime_error
// says: solve() throws Unequal (no two arrays) and catches it nowhere
#include <exception>
#include <new>

struct Unequal : std::exception {
    const char* what() const noexcept override { return "no two arrays"; }
};

static void check(const float* A, const float* B) {
    if (A != B) throw Unequal();  // <- here
}

struct Quiet {
    // What is thrown and caught while the other is on its way is not what ends solve().
    ~Quiet() {
        try {
            throw 3;
        } catch (int) {
        }
    }
};

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    Quiet quiet;
    try {
        check(A, B);
    } catch (std::bad_alloc&) {
    }
}
