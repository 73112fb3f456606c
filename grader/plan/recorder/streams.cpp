// Streams: small numbers in the plan, and what is enqueued goes into the plan or into the graph being captured.
#include "streams.h"

#include <algorithm>
#include <memory>

#include "channel.h"

namespace kgrade {
namespace {

CUstream_st legacy;
std::map<cudaStream_t, std::unique_ptr<CUstream_st>> streams;
constexpr unsigned NON_BLOCKING = 1 << 16;
unsigned streams_made = 0;
std::unique_ptr<CUstream_st> per_thread;

std::unique_ptr<CUstream_st> make_stream(unsigned flags, int priority) {
    auto stream = std::make_unique<CUstream_st>();
    stream->id = new_stream_number(flags);
    stream->flags = flags;
    stream->priority = priority;
    return stream;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

}  // namespace

std::vector<Capture*>& captures() {
    static std::vector<Capture*> running;
    return running;
}

CUstream_st* find_stream(cudaStream_t handle) {
    if (handle == nullptr || handle == cudaStreamLegacy) return &legacy;
    if (handle == cudaStreamPerThread) {
        if (!per_thread) per_thread = make_stream(cudaStreamDefault, 0);
        return per_thread.get();
    }
    const auto found = streams.find(handle);
    return found == streams.end() ? nullptr : found->second.get();
}

bool stream_is_known(cudaStream_t handle) { return find_stream(handle) != nullptr; }

unsigned stream_id(cudaStream_t handle) { return find_stream(handle)->id; }

bool is_capturing(cudaStream_t handle) { return find_stream(handle)->capture != nullptr; }

void spoil_capture_of(cudaStream_t handle) {
    if (Capture* capture = find_stream(handle)->capture) spoil(*capture);
}

unsigned new_stream_number(unsigned flags) {
    return ++streams_made | (flags & cudaStreamNonBlocking ? NON_BLOCKING : 0);
}

unsigned new_event_number() {
    static unsigned made = 0;
    return ++made;
}

void host_waits_for_all(Call& call) {
    if (state().working) perform(recorded(call, "\"op\":\"sync_device\""), 0);
    state().working = false;
}

void spoil(Capture& capture) {
    if (capture.spoiled) return;
    capture.spoiled = true;
    capture.spoiled_by = Call::current->name;
    capture.spoiled_at = Call::current->at();
}

cudaError_t refuse_spoiled(Call& call, const Capture& capture) {
    return call.refuse(cudaErrorStreamCaptureInvalidated,
                       "the capture was ended before, by " + capture.spoiled_by +
                           (capture.spoiled_by[0] == 'c' ? "()" : "") + ", which it forbids or which failed in it",
                       capture.spoiled_at);
}

void join(CUstream_st& stream, Capture& capture) {
    if (stream.capture) return;
    stream.capture = &capture;
    capture.members.push_back(&stream);
}

void leave_capture(Capture& capture) {
    for (CUstream_st* member : capture.members) member->capture = nullptr;
    auto& running = captures();
    running.erase(std::remove(running.begin(), running.end(), &capture), running.end());
}

bool stream_takes_work(Call& call, cudaStream_t handle, cudaError_t* error) {
    const CUstream_st* stream = find_stream(handle);
    if (!stream) {
        *error = call.refuse(cudaErrorInvalidResourceHandle, "the stream does not exist");
        return false;
    }
    if (stream->capture && stream->capture->spoiled) {
        *error = refuse_spoiled(call, *stream->capture);
        return false;
    }
    if (stream != &legacy) return true;
    for (Capture* capture : captures()) {
        if (capture->origin->flags & cudaStreamNonBlocking) continue;
        spoil(*capture);
        *error = call.refuse(cudaErrorStreamCaptureImplicit,
                             "the default stream would wait for a stream that is being captured");
        return false;
    }
    return true;
}

bool forbidden_by_capture() {
    if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
    bool forbidden = false;
    for (Capture* capture : captures()) {
        if (capture->mode == cudaStreamCaptureModeRelaxed) continue;
        spoil(*capture);
        forbidden = true;
    }
    return forbidden;
}

void enqueue(cudaStream_t handle, Step step) {
    CUstream_st* stream = find_stream(handle);
    if (Capture* capture = stream->capture) {
        capture->steps.push_back({stream->id, std::move(step)});
        capture->done[stream->id]++;
    } else {
        perform(step, stream->id);
    }
    work_was_accepted();
}

}  // namespace kgrade

using namespace kgrade;

namespace {

cudaError_t create(Call& call, cudaStream_t* handle, unsigned flags, int priority) {
    if (!handle || flags > cudaStreamNonBlocking) return call.error(cudaErrorInvalidValue);
    auto stream = make_stream(flags, priority);
    *handle = stream.get();
    streams[*handle] = std::move(stream);
    return cudaSuccess;
}

void host_waits(Call& call, cudaStream_t stream) {
    if (state().working) perform(recorded(call, "\"op\":\"sync_stream\""), stream_id(stream));
}

cudaError_t check(Call& call, cudaStream_t handle) {
    return find_stream(handle) ? cudaSuccess : call.error(cudaErrorInvalidResourceHandle, "the stream does not exist");
}

}  // namespace

API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    Call call("cudaStreamCreate");
    return create(call, stream, cudaStreamDefault, 0);
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    Call call("cudaStreamCreateWithFlags");
    return create(call, stream, flags, 0);
}

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    Call call("cudaStreamCreateWithPriority");
    return create(call, stream, flags, priority);
}

API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    Call call("cudaStreamDestroy");
    const auto found = streams.find(stream);
    if (found == streams.end()) return call.error(cudaErrorInvalidResourceHandle, "the stream does not exist");
    if (found->second->capture) return call.error(cudaErrorStreamCaptureUnsupported, "the stream is being captured");
    streams.erase(found);
    return cudaSuccess;
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    Call call("cudaStreamSynchronize");
    if (const cudaError_t error = check(call, stream)) return error;
    if (is_capturing(stream)) {
        spoil_capture_of(stream);
        return call.error(cudaErrorStreamCaptureUnsupported, "the stream is being captured");
    }
    host_waits(call, stream);
    return cudaSuccess;
}

API cudaError_t cudaStreamQuery(cudaStream_t stream) {
    Call call("cudaStreamQuery");
    if (const cudaError_t error = check(call, stream)) return error;
    if (!is_capturing(stream)) {
        // The answer is that all is done, which may be what the host has waited for.
        host_waits(call, stream);
        return cudaSuccess;
    }
    spoil_capture_of(stream);
    return call.error(cudaErrorStreamCaptureUnsupported, "the stream is being captured");
}

API cudaError_t cudaDeviceSynchronize() {
    Call call("cudaDeviceSynchronize");
    if (forbidden_by_capture())
        return call.error(cudaErrorStreamCaptureUnsupported, "a stream is being captured");
    host_waits_for_all(call);
    return cudaSuccess;
}

API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    Call call("cudaStreamGetFlags");
    if (const cudaError_t error = check(call, stream)) return error;
    *flags = find_stream(stream)->flags;
    return cudaSuccess;
}

API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    Call call("cudaStreamGetPriority");
    if (const cudaError_t error = check(call, stream)) return error;
    *priority = find_stream(stream)->priority;
    return cudaSuccess;
}

API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    Call call("cudaStreamGetId");
    if (const cudaError_t error = check(call, stream)) return error;
    *id = stream_id(stream);
    return cudaSuccess;
}

#if CUDART_VERSION >= 12080
API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    Call call("cudaStreamGetDevice");
    if (const cudaError_t error = check(call, stream)) return error;
    *device = 0;
    return cudaSuccess;
}
#endif

// Hints on caching and priority, which a replay leaves out.
API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue*) {
    Call call("cudaStreamSetAttribute");
    return check(call, stream);
}

API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID, cudaStreamAttrValue* value) {
    Call call("cudaStreamGetAttribute");
    *value = {};
    return check(call, stream);
}

API cudaError_t cudaStreamCopyAttributes(cudaStream_t target, cudaStream_t source) {
    Call call("cudaStreamCopyAttributes");
    if (const cudaError_t error = check(call, target)) return error;
    return check(call, source);
}

API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

// The host's functions run at once: what they may read has been copied to the host by then.
API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    Call call("cudaLaunchHostFunc");
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, stream, &error)) return error;
    if (!function) return call.error(cudaErrorInvalidValue);
    Step step;
    step.kind = Step::Kind::host_function;
    step.function = [function, data] { function(data); };
    enqueue(stream, std::move(step));
    return cudaSuccess;
}

API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
    Call call("cudaStreamAddCallback");
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, stream, &error)) return error;
    if (!callback) return call.error(cudaErrorInvalidValue);
    if (is_capturing(stream)) return call.refuse(cudaErrorStreamCaptureUnsupported, "the stream is being captured");
    Step step;
    step.kind = Step::Kind::host_function;
    step.function = [=] { callback(stream, cudaSuccess, data); };
    enqueue(stream, std::move(step));
    return cudaSuccess;
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    std::swap(*mode, thread_mode);
    return cudaSuccess;
}
