// tries: to flood the report with errors
// expect: compile_error
// says: undefined
//
#define E1 undefined_name;
#define E2 E1 E1 E1 E1 E1 E1 E1 E1 E1 E1
#define E3 E2 E2 E2 E2 E2 E2 E2 E2 E2 E2
#define E4 E3 E3 E3 E3 E3 E3 E3 E3 E3 E3
void errors() { E4 E4 E4 E4 E4 E4 E4 E4 E4 E4 }
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
