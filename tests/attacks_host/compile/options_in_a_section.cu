// tries: to pass options to the linker
// expect: accepted|compile_error
//
asm(".section .drectve\n.ascii \"-T /etc/passwd\"\n.text");
asm(".section .note.GNU-stack,\"x\"\n.text");
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
