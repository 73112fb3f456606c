// tries: to make the report quote a file of the host
// expect: compile_error
//
#line 1 "/etc/passwd"
int x = undefined_name;
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
