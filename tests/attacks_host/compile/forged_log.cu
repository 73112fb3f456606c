// tries: to write the compiler's log itself
// expect: accepted
//
#pragma message("\nsubmission.cu(1): error: forged\nptxas error   : forged\n")
#pragma message("ptxas info    : Compiling entry function '_Z1kPf' for 'sm_89'")
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
