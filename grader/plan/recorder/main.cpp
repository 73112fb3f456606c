// The recorder: a process that loads one submission's library and calls its solve(), once unless told otherwise. It
// answers the calls of the CUDA runtime that solve() makes and tells them to the judge as the steps of a plan; nothing
// runs on a GPU.
#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "channel.h"
#include "recorder.h"

namespace kgrade {
namespace {

// The registers and stack places of a call by the System V ABI of x86-64 or by AAPCS64.
#if defined(__x86_64__)
constexpr size_t INTEGERS = 6;
#elif defined(__aarch64__)
constexpr size_t INTEGERS = 8;
#else
#error "solve() can be called on x86-64 and 64-bit ARM only"
#endif
constexpr size_t DOUBLES = 8;
constexpr size_t ON_STACK = 24;

struct Arguments {
    uint64_t integers[INTEGERS] = {};
    double doubles[DOUBLES] = {};
    uint64_t stack[ON_STACK] = {};
    size_t used_integers = 0, used_doubles = 0, used_stack = 0;

    void add(const std::string& kind, uint64_t bits) {
        if (kind == "int64" && used_integers < INTEGERS) {
            integers[used_integers++] = bits;
        } else if (kind != "int64" && used_doubles < DOUBLES) {
            // A float lies in the lower half of its register.
            memcpy(&doubles[used_doubles++], &bits, sizeof bits);
        } else if (used_stack < ON_STACK) {
            stack[used_stack++] = bits;
        }
    }
};

void call_with(void* function, const Arguments& a) {
    const auto* i = a.integers;
    const auto* d = a.doubles;
    const auto* s = a.stack;
#if defined(__x86_64__)
#define KGRADE_INTEGERS i[0], i[1], i[2], i[3], i[4], i[5]
    using Function = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
#else
#define KGRADE_INTEGERS i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]
    using Function = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
#endif
                              double, double, double, double, double, double, double, double, uint64_t, uint64_t,
                              uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                              uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                              uint64_t, uint64_t, uint64_t, uint64_t);
    reinterpret_cast<Function>(function)(KGRADE_INTEGERS, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], s[0], s[1],
                                         s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13],
                                         s[14], s[15], s[16], s[17], s[18], s[19], s[20], s[21], s[22], s[23]);
}

// The judge's first message: a line each, a word and its values (grader/plan/recorder.py writes it). Returns the
// arguments of each call of solve().
std::vector<Arguments> read_setting(const std::string& text) {
    std::vector<Arguments> calls;
    State& s = state();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "library") {
            words >> s.shared_object;
        } else if (what == "call") {
            calls.emplace_back();
        } else if (what == "argument" && !calls.empty()) {
            std::string kind;
            uint64_t bits = 0;
            words >> kind >> bits;
            calls.back().add(kind, bits);
        } else if (what == "array") {
            std::string name;
            uint64_t address = 0, size = 0;
            words >> name >> address >> size;
            s.memory[address] = {size, name};
            reserve_addresses(address, size);
        } else if (what == "attribute") {
            int number = 0, value = 0;
            words >> number >> value;
            s.attributes[number] = value;
        } else if (what == "device") {
            words >> s.total_memory;
            std::getline(words >> std::ws, s.device_name);
        } else if (what == "kernel") {
            Kernel kernel;
            words >> kernel.symbol >> kernel.registers >> kernel.shared_bytes >> kernel.local_bytes >>
                kernel.max_threads >> kernel.cluster.x >> kernel.cluster.y >> kernel.cluster.z;
            for (uint32_t size = 0; words >> size;) kernel.parameters.push_back(size);
            s.kernels[kernel.symbol] = kernel;
        } else if (what == "limits") {
            words >> s.most_steps >> s.most_bytes;
        }
    }
    for (auto& [symbol, kernel] : s.kernels)
        kernel.dynamic_limit = s.attribute(cudaDevAttrMaxSharedMemoryPerBlock) - kernel.shared_bytes;
    return calls;
}

[[noreturn]] void cannot_load(const std::string& reason) {
    const std::string undefined = "undefined symbol: ";
    const size_t at = reason.find(undefined);
    if (at != std::string::npos) {
        const std::string name = reason.substr(at + undefined.size());
        stop("unsupported_call", name.substr(0, name.find_first_of(", ")).c_str(), "[]", "no library here has it");
    }
    stop(reason.find("annot allocate memory") != std::string::npos ||
                 reason.find("failed to map segment") != std::string::npos
             ? "memory"
             : "load",
         "", "[]", reason);
}

void run(void* solve, const Arguments& arguments) {
    try {
        call_with(solve, arguments);
    } catch (const abi::__forced_unwind&) {
        stop("exit", "pthread_exit", "[]", "");
    } catch (...) {
        stop_for_exception("solve");
    }
}

}  // namespace
}  // namespace kgrade

int main() {
    using namespace kgrade;
    const std::vector<Arguments> calls = read_setting(channel::receive());
    catch_crashes();
    catch_exceptions();
    refuse_programs();
    void* library = dlopen(state().shared_object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) cannot_load(dlerror());
    state().loaded = true;
    void* solve = dlsym(library, "solve");
    if (!solve) stop("load", "solve", "[]", "the library exports no solve()");
    for (size_t i = 0; i < calls.size(); i++) {
        if (i > 0) channel::send("{\"op\":\"again\"}");
        run(solve, calls[i]);
    }
    fflush(nullptr);
    {
        Call call("solve");
        free_memory_of_graphs(call);
        std::string frame = "{\"op\":\"end\"";
        if (state().failed) frame += ",\"failure\":" + failure_text(state().failure);
        frame += ",\"errors\":[";
        for (size_t i = 0; i < state().errors.size(); i++)
            frame += (i ? "," : "") + failure_text(state().errors[i]);
        channel::send(frame + "]}");
        state().ended = true;
    }
    // Not exit(): handlers of the submission would run, and its threads may still be there.
    syscall(SYS_exit_group, 0);
}
