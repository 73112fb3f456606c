// C++ exceptions that nobody in solve() catches: what was thrown, and which calls led there. By the time that the
// recorder catches one, its place is gone from the stack; so each throw is noted as it passes.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

#include "recorder.h"

namespace kgrade {
namespace {

constexpr unsigned KEPT = 16;  // throws that are remembered: others may be caught while one is on its way
constexpr size_t LONGEST = 500;

struct Throw {
    const void* object = nullptr;
    std::string at;
};

thread_local Throw thrown[KEPT];
thread_local unsigned throws = 0;

std::string place_of(const void* object) {
    for (unsigned i = 1; i <= KEPT && i <= throws; i++)
        if (const Throw& one = thrown[(throws - i) % KEPT]; one.object == object) return one.at;
    return "[]";
}

std::string bounded(const char* text) { return text ? std::string(text, strnlen(text, LONGEST)) : ""; }

std::string name_of_type() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    if (!type) return "";
    int status = 0;
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
    const std::string found = bounded(status == 0 ? name : type->name());
    free(name);
    return *type == typeid(std::string) ? "std::string" : found;
}

// Of the exception being handled.
std::string words() {
    try {
        throw;
    } catch (const std::exception& error) {
        return bounded(error.what());
    } catch (const std::string& text) {
        return text.substr(0, LONGEST);
    } catch (const char* text) {
        return bounded(text);
    } catch (int number) {
        return std::to_string(number);
    } catch (...) {
        return "";
    }
}

[[noreturn]] void on_terminate() {
    // Out of dlopen(), which calls the constructors, no exception gets either.
    if (std::current_exception()) stop_for_exception(state().loaded ? "noexcept" : "constructor");
    stop("exit", "std::terminate", frames_here(), "");
}

}  // namespace

void stop_for_exception(const char* left) {
    const std::exception_ptr handled = std::current_exception();
    // An exception_ptr is a pointer to what was thrown, and nothing else.
    const void* object = nullptr;
    static_assert(sizeof handled == sizeof object);
    memcpy(&object, &handled, sizeof object);
    const std::string type = name_of_type();
    stop("exception", type.c_str(), place_of(object), words(), "",
         ",\"left\":" + quoted(left));
}

void catch_exceptions() { std::set_terminate(on_terminate); }

}  // namespace kgrade

extern "C" KGRADE_EXPORTED [[noreturn]] void __cxa_throw(void* object, std::type_info* type, void (*destroy)(void*)) {
    using Throw = void (*)(void*, std::type_info*, void (*)(void*));
    static const auto next = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
    kgrade::thrown[kgrade::throws++ % kgrade::KEPT] = {object, kgrade::frames_here()};
    next(object, type, destroy);
    __builtin_unreachable();
}
