// Streams, events and captures: the handles that CUDA leaves undefined are these structures.
#pragma once

#include <map>
#include <vector>

#include "recorder.h"

namespace kgrade {

struct CapturedStep {
    unsigned stream = 0;
    Step step;
};

// How much of each stream's work something waits for, by the stream's number.
using Progress = std::map<unsigned, unsigned>;

struct Capture {
    Capture(cudaStreamCaptureMode mode, CUstream_st* origin, unsigned long long id)
        : mode(mode), origin(origin), id(id) {}

    cudaStreamCaptureMode mode;
    CUstream_st* origin;
    unsigned long long id;
    bool spoiled = false;
    std::string spoiled_by, spoiled_at = "[]";  // the call that did, and its place
    std::vector<CapturedStep> steps;
    Progress done;                      // steps captured of each stream
    std::map<unsigned, Progress> seen;  // what each stream waits for
    std::vector<CUstream_st*> members;
};

}  // namespace kgrade

struct CUstream_st {
    unsigned id = 0;
    unsigned flags = 0;
    int priority = 0;
    kgrade::Capture* capture = nullptr;
};

struct CUevent_st {
    unsigned id = 0;  // in the plan; each captured record has a number of its own
    bool of_capture = false;
    unsigned flags = 0;
    bool recorded = false;
    kgrade::Capture* capture = nullptr;  // that of the stream that recorded it last
    unsigned long long capture_id = 0;
    kgrade::Progress progress;
};

namespace kgrade {

// The stream of a handle, the legacy default stream for null; null where the handle is none.
CUstream_st* find_stream(cudaStream_t handle);
void spoil(Capture& capture);
cudaError_t refuse_spoiled(Call& call, const Capture& capture);
std::vector<Capture*>& captures();
void join(CUstream_st& stream, Capture& capture);
void leave_capture(Capture& capture);
// The number of a new stream in the plan (grader/core/plan.py: NON_BLOCKING).
unsigned new_stream_number(unsigned flags);
unsigned new_event_number();
// What the host waits for, all later work waits for as well (grader/core/plan.py: Synchronize).
void host_waits_for_all(Call& call);

}  // namespace kgrade
