// Events: the order between streams. Time does not pass at recording, so that all intervals are zero.
#include <memory>

#include "streams.h"

using namespace kgrade;

namespace {

std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events;

cudaError_t create(Call& call, cudaEvent_t* handle, unsigned flags) {
    constexpr unsigned KNOWN = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!handle || (flags & ~KNOWN)) return call.error(cudaErrorInvalidValue);
    auto event = std::make_unique<CUevent_st>();
    event->id = new_event_number();
    event->flags = flags;
    *handle = event.get();
    events[*handle] = std::move(event);
    return cudaSuccess;
}

bool known(cudaEvent_t event) { return events.count(event) != 0; }

cudaError_t unknown(Call& call) { return call.error(cudaErrorInvalidResourceHandle, "the event does not exist"); }

bool captured(const CUevent_st& event) {
    for (const Capture* capture : captures())
        if (capture == event.capture && capture->id == event.capture_id) return true;
    return false;
}

constexpr char OF_AN_ENDED_CAPTURE[] = "the event was recorded in a capture that has ended";

// The host can't ask about an event that only a graph records.
cudaError_t of_a_capture(Call& call, const CUevent_st& event) {
    if (!event.capture) return cudaSuccess;
    if (!captured(event)) return call.error(cudaErrorInvalidValue, OF_AN_ENDED_CAPTURE);
    spoil(*event.capture);
    return call.error(cudaErrorCapturedEvent, "the event was recorded in a capture");
}

cudaError_t record(Call& call, cudaEvent_t event, cudaStream_t handle) {
    if (!known(event)) return unknown(call);
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, handle, &error)) return error;
    CUstream_st* stream = find_stream(handle);
    event->recorded = true;
    event->capture = stream->capture;
    // A graph's own record leaves alone what others wait for.
    if (stream->capture || event->of_capture) event->id = new_event_number();
    event->of_capture = stream->capture != nullptr;
    Step step = recorded(call, "\"op\":\"record_event\",\"event\":" + std::to_string(event->id));
    if (Capture* capture = stream->capture) {
        event->capture_id = capture->id;
        event->progress = capture->seen[stream->id];
        event->progress[stream->id] = capture->done[stream->id];
        capture->steps.push_back({stream->id, std::move(step)});
    } else {
        perform(step, stream->id);
    }
    return cudaSuccess;
}

cudaError_t wait(Call& call, cudaStream_t handle, cudaEvent_t event) {
    if (!known(event)) return unknown(call);
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, handle, &error)) return error;
    CUstream_st* stream = find_stream(handle);
    if (!event->recorded) return cudaSuccess;
    Step step = recorded(call, "\"op\":\"wait_event\",\"event\":" + std::to_string(event->id));
    if (event->capture) {
        if (!captured(*event)) return call.refuse(cudaErrorInvalidValue, OF_AN_ENDED_CAPTURE);
        Capture& capture = *event->capture;
        join(*stream, capture);
        Progress& seen = capture.seen[stream->id];
        for (const auto& [id, done] : event->progress) seen[id] = std::max(seen[id], done);
        capture.steps.push_back({stream->id, std::move(step)});
    } else if (stream->capture) {
        spoil(*stream->capture);
        return call.refuse(cudaErrorStreamCaptureIsolation,
                           "a captured stream waits for an event that was recorded outside the capture");
    } else {
        perform(step, stream->id);
    }
    return cudaSuccess;
}

// Who asks whether the event has come gets the answer that it has.
cudaError_t host_waits(Call& call, cudaEvent_t event) {
    if (!known(event)) return unknown(call);
    if (const cudaError_t error = of_a_capture(call, *event)) return error;
    if (event->recorded && state().working)
        perform(recorded(call, "\"op\":\"sync_event\",\"event\":" + std::to_string(event->id)), 0);
    return cudaSuccess;
}

cudaError_t elapsed(Call& call, float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!known(start) || !known(end)) return unknown(call);
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & cudaEventDisableTiming))
        return call.error(cudaErrorInvalidResourceHandle, "an event was not recorded, or made without timing");
    for (const cudaEvent_t event : {start, end})
        if (event->capture) return call.error(cudaErrorInvalidValue, "the event was recorded in a capture");
    *milliseconds = 0;
    return cudaSuccess;
}

}  // namespace

API cudaError_t cudaEventCreate(cudaEvent_t* event) {
    Call call("cudaEventCreate");
    return create(call, event, cudaEventDefault);
}

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    Call call("cudaEventCreateWithFlags");
    return create(call, event, flags);
}

API cudaError_t cudaEventDestroy(cudaEvent_t event) {
    Call call("cudaEventDestroy");
    return events.erase(event) ? cudaSuccess : unknown(call);
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    Call call("cudaEventRecord");
    return record(call, event, stream);
}

API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    Call call("cudaEventRecordWithFlags");
    return record(call, event, stream);
}

API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    Call call("cudaStreamWaitEvent");
    return wait(call, stream, event);
}

API cudaError_t cudaEventQuery(cudaEvent_t event) {
    Call call("cudaEventQuery");
    return host_waits(call, event);
}

API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    Call call("cudaEventSynchronize");
    return host_waits(call, event);
}

API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    Call call("cudaEventElapsedTime");
    return elapsed(call, milliseconds, start, end);
}

#if CUDART_VERSION >= 12080 && CUDART_VERSION < 13000
API cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    Call call("cudaEventElapsedTime");
    return elapsed(call, milliseconds, start, end);
}
#endif
