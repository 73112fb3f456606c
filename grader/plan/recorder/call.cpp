// A call of the runtime from its start to its answer: the lock, the caller's place, errors, and the end of a recording.
#include <cxxabi.h>
#include <link.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <cstring>
#include <mutex>

#include "channel.h"
#include "recorder.h"

namespace kgrade {
namespace {

std::recursive_mutex lock;

// Of deep calls, such as those of a library of templates, both ends are told: solve() is at the outer one.
constexpr size_t INNERMOST = 4, OUTERMOST = 4;
constexpr unsigned DEEPEST = 128;

struct Range {
    uintptr_t low = 0, high = 0;
};

Range library_range() {
    static Range found;
    if (found.high == 0) {
        dl_iterate_phdr(
            [](dl_phdr_info* info, size_t, void* data) {
                if (state().shared_object != info->dlpi_name) return 0;
                auto* range = static_cast<Range*>(data);
                range->low = info->dlpi_addr;
                for (int i = 0; i < info->dlpi_phnum; i++)
                    if (info->dlpi_phdr[i].p_type == PT_LOAD)
                        range->high = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
                return 1;
            },
            &found);
    }
    return found;
}

struct Walk {
    Range code;
    std::vector<uintptr_t> places;
    unsigned seen = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    auto* walk = static_cast<Walk*>(data);
    int before = 0;
    uintptr_t place = _Unwind_GetIPInfo(context, &before);
    // A return address stands after the call, which may be another line.
    if (!before) place--;
    if (place >= walk->code.low && place < walk->code.high) walk->places.push_back(place - walk->code.low);
    return ++walk->seen > DEEPEST ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

}  // namespace

State& state() {
    static State* const only = new State;
    return *only;
}

int State::attribute(cudaDeviceAttr which) const {
    const auto found = attributes.find(static_cast<int>(which));
    return found == attributes.end() ? 0 : found->second;
}

thread_local Call* Call::current = nullptr;

Call::Call(const char* name) : name(name), outer_(current) {
    lock.lock();
    // Threads that outlive solve() wait here for the end of the process.
    while (state().ended) poll(nullptr, 0, -1);
    current = this;
}

Call::~Call() {
    current = outer_;
    lock.unlock();
}

const std::string& Call::at() {
    if (outer_) return outer_->at();
    if (at_.empty()) at_ = frames_here();
    return at_;
}

cudaError_t Call::error(cudaError_t code, const std::string& message, const std::string& earlier) {
    last_error() = code;
    if (state().errors.size() < 16) state().errors.push_back({code, name, message, at(), earlier});
    return code;
}

cudaError_t Call::refuse(cudaError_t code, const std::string& message, const std::string& earlier) {
    last_error() = code;
    if (!state().failed) {
        state().failed = true;
        state().failure = {code, name, message, at(), earlier};
    }
    return code;
}

void Call::stop(const char* fault, const std::string& message, const std::string& hint) {
    kgrade::stop(fault, name, at(), message, hint);
}

std::string frames_here() {
    Walk walk{library_range(), {}, 0};
    if (walk.code.high != 0) _Unwind_Backtrace(visit, &walk);
    std::string text = "[";
    for (size_t i = 0; i < walk.places.size(); i++) {
        if (i >= INNERMOST && i + OUTERMOST < walk.places.size()) continue;
        text += (text.size() > 1 ? "," : "") + std::to_string(walk.places[i]);
    }
    return text + "]";
}

std::string failure_text(const Failure& failure) {
    return "{\"call\":" + quoted(failure.call) + ",\"code\":" + std::to_string(failure.code) + ",\"name\":" +
           quoted(error_name(failure.code)) + ",\"words\":" + quoted(error_words(failure.code)) + ",\"message\":" +
           quoted(failure.message) + ",\"at\":" + failure.at + ",\"earlier\":" + failure.earlier + "}";
}

void stop(const char* fault, const char* call, const std::string& at, const std::string& message,
          const std::string& hint, const std::string& more) {
    std::string frame = std::string("{\"op\":\"stop\",\"fault\":\"") + fault + "\",\"call\":" + quoted(call) +
                        ",\"message\":" + quoted(message) + ",\"hint\":" + quoted(hint) + ",\"at\":" + at + more;
    if (state().failed)
        frame += ",\"failure\":" + failure_text(state().failure);
    else if (!state().errors.empty())
        frame += ",\"error\":" + failure_text(state().errors.back());
    channel::send_alone(frame + "}");
    // Not exit(): handlers of the submission would run.
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

// A submission that asks for the error and then gives other work has handled it.
void work_was_accepted() {
    if (state().failed && state().failure.read) {
        state().failed = false;
        state().errors.push_back(state().failure);
    }
}

Step recorded(Call& call, std::string body) {
    Step step;
    step.body = std::move(body);
    step.at = call.at();
    return step;
}

std::string quoted(const std::string& text) {
    static const char digits[] = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte >= 0x7f) {
            result += "\\u00";
            result += digits[byte >> 4];
            result += digits[byte & 15];
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string hex(const void* data, size_t size) {
    static const char digits[] = "0123456789abcdef";
    const auto* bytes = static_cast<const unsigned char*>(data);
    std::string result(size * 2, '0');
    for (size_t i = 0; i < size; i++) {
        result[2 * i] = digits[bytes[i] >> 4];
        result[2 * i + 1] = digits[bytes[i] & 15];
    }
    return result;
}

}  // namespace kgrade
