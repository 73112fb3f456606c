// What ends a submission's host code early, told with its place: signals, exit() and abort(), memory that is refused.
// All of it can be switched off by hostile code; then the judge sees only that the process has ended.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "channel.h"
#include "recorder.h"

namespace kgrade {
namespace {

// Volatile: for the compiler nothing reads it between the two stores of copy_guarded().
thread_local sigjmp_buf* volatile guard = nullptr;

const char* access_of(const ucontext_t* context) {
#if defined(__x86_64__)
    constexpr long long WRITE = 2;  // a bit of the page fault's error code
    return context->uc_mcontext.gregs[REG_ERR] & WRITE ? "write" : "read";
#else
    (void)context;
    return "access";
#endif
}

// The faulting address. Of one that no process can have, as the emulator's are, the CPU tells nothing: then it is what
// some register holds, if that points into a device array.
uint64_t fault_address(const siginfo_t* info, const ucontext_t* context) {
    const uint64_t told = kgrade::number(info->si_addr);
#if defined(__x86_64__)
    if (info->si_code != SI_KERNEL) return told;
    for (const int which : {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15}) {
        const auto held = static_cast<uint64_t>(context->uc_mcontext.gregs[which]);
        if (kgrade::find_memory(held)) return held;
    }
#else
    (void)context;
#endif
    return told;
}

uint64_t stack_pointer(const ucontext_t* context) {
#if defined(__x86_64__)
    return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RSP]);
#else
    return context->uc_mcontext.sp;
#endif
}

void on_signal(int number, siginfo_t* info, void* data) {
    if (guard && (number == SIGSEGV || number == SIGBUS)) siglongjmp(*guard, 1);
    const auto* context = static_cast<const ucontext_t*>(data);
    const uint64_t address = number == SIGSEGV || number == SIGBUS ? fault_address(info, context) : 0;
    const uint64_t distance = stack_pointer(context) - address + (64 << 10);
    const bool overflow = number == SIGSEGV && address != 0 && distance < (128 << 10);
    stop("signal", "", frames_here(), "", "",
         ",\"signal\":" + std::to_string(number) + ",\"address\":" + std::to_string(address) + ",\"access\":\"" +
             access_of(context) + "\",\"stack\":" + (overflow ? "true" : "false"));
}

// True inside the lines below, which themselves may ask for memory.
thread_local bool refusing = false;

void* given(void* memory, size_t size) {
    if (memory || size == 0 || refusing) return memory;
    refusing = true;
    stop("memory", "malloc", frames_here(), "it asks for " + std::to_string(size) + " bytes more");
}

[[noreturn]] void ended_by(const char* call, int code) {
    stop("exit", call, frames_here(), "", "", ",\"code\":" + std::to_string(code));
}

}  // namespace

void catch_crashes() {
    // Of its own, so that an overflow of the stack is told too.
    static char stack[256 << 10];
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU}) sigaction(number, &action, nullptr);
}

bool copy_guarded(void* target, const void* source, size_t size) {
    sigjmp_buf place;
    if (sigsetjmp(place, 0) != 0) {
        guard = nullptr;
        return false;
    }
    guard = &place;
    asm volatile("" ::: "memory");
    memcpy(target, source, size);
    asm volatile("" ::: "memory");
    guard = nullptr;
    return true;
}

// So that host code that takes a device pointer for its own faults at once, whatever else lay there.
void reserve_addresses(uint64_t address, uint64_t size) {
    constexpr uint64_t PAGE = 4096, MOST = 1 << 20;
    const uint64_t start = address / PAGE * PAGE;
    const uint64_t length = (std::min(address + size - start, MOST) + PAGE - 1) / PAGE * PAGE;
    mmap(reinterpret_cast<void*>(start), length, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

}  // namespace kgrade

using namespace kgrade;

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);

API void* malloc(size_t size) noexcept { return given(__libc_malloc(size), size); }
API void* calloc(size_t count, size_t size) noexcept { return given(__libc_calloc(count, size), size ? count : 0); }
API void* realloc(void* old, size_t size) noexcept { return given(__libc_realloc(old, size), size); }

API void exit(int code) noexcept { ended_by("exit", code); }
API void _exit(int code) { ended_by("_exit", code); }
API void _Exit(int code) noexcept { ended_by("_Exit", code); }
API void quick_exit(int code) noexcept { ended_by("quick_exit", code); }
API void abort() noexcept { ended_by("abort", 134); }
// Of assert().
API void __assert_fail(const char* assertion, const char*, unsigned, const char*) noexcept {
    stop("exit", "assert", frames_here(), assertion);
}
