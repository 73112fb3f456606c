// How a step becomes part of the plan: told to the judge, or, for a copy to the host, done in step with it.
#include "channel.h"
#include "recorder.h"

namespace kgrade {
namespace {

void count(uint64_t bytes) {
    State& s = state();
    s.bytes += bytes;
    if (++s.steps > s.most_steps)
        Call::current->stop("steps", "it gives the GPU more than " + std::to_string(s.most_steps) + " pieces of work");
    if (s.bytes > s.most_bytes)
        Call::current->stop("bytes", "it copies more than " + std::to_string(s.most_bytes >> 20) +
                                         " MiB between host and device");
}

void upload(const Step& step, const std::string& place) {
    std::string bytes(step.size, '\0');
    if (!copy_guarded(bytes.data(), step.host, step.size))
        Call::current->stop("host_pointer", "the source " + described(number(step.host)) +
                                                " can't be read on the host for " + std::to_string(step.size) +
                                                " bytes");
    if (holds_tensor_map(bytes.data(), bytes.size()))
        Call::current->stop("unsupported_call", "it copies a tensor map to device memory",
                            "pass the CUtensorMap to the kernel as a `const __grid_constant__ CUtensorMap` parameter");
    channel::add("{\"op\":\"upload\",\"target\":" + std::to_string(step.device) + ",\"data\":\"" +
                 hex(bytes.data(), bytes.size()) + "\"" + place);
}

// The host has its bytes when the call returns, for its memory is pageable (CUDA Runtime API, API synchronization
// behavior).
void download(const Step& step, const std::string& place) {
    const std::string bytes = channel::ask("{\"op\":\"read\",\"address\":" + std::to_string(step.device) +
                                           ",\"size\":" + std::to_string(step.size) + place);
    // No bytes: the judge has ended the recording, for work before has failed.
    if (bytes.size() != step.size) Call::current->stop("ended", "");
    if (!copy_guarded(step.host, bytes.data(), bytes.size()))
        Call::current->stop("host_pointer", "the target " + described(number(step.host)) +
                                                " can't be written on the host for " + std::to_string(step.size) +
                                                " bytes");
}

}  // namespace

void perform(const Step& step, unsigned stream_id) {
    const std::string place = ",\"stream\":" + std::to_string(stream_id) + ",\"at\":" + step.at + "}";
    count(step.size);
    state().working = true;
    switch (step.kind) {
        case Step::Kind::recorded:
            channel::add("{" + step.body + place);
            break;
        case Step::Kind::upload:
            upload(step, place);
            break;
        case Step::Kind::download:
            download(step, place);
            break;
        case Step::Kind::host_function:
            step.function();
            break;
    }
}

}  // namespace kgrade
