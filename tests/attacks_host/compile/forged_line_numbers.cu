// tries: to point the report beyond the file
// expect: compile_error
// says: undefined
//
#line 2000000000 "submission.cu"
int x = undefined_name;
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
