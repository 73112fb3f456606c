// Graphs made by capturing streams: a list of steps that each launch puts into the plan again.
#include <memory>

#include "streams.h"

struct CUgraph_st {
    std::vector<kgrade::CapturedStep> steps;
    unsigned origin = 0;
};

struct CUgraphExec_st {
    std::vector<kgrade::CapturedStep> steps;
    unsigned origin = 0;
    std::map<unsigned, unsigned> branches;  // by captured stream, the one of the plan
    bool launched = false;
    unsigned last = 0;  // the stream of its last launch
};

using namespace kgrade;

namespace {

std::map<cudaGraph_t, std::unique_ptr<CUgraph_st>> graphs;
std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>> executables;
unsigned long long captures_made = 0;

cudaError_t begin(Call& call, cudaStream_t handle, cudaStreamCaptureMode mode) {
    CUstream_st* stream = find_stream(handle);
    if (!stream) return call.error(cudaErrorInvalidResourceHandle, "the stream does not exist");
    if (stream->id == 0)
        return call.error(cudaErrorStreamCaptureUnsupported, "the default stream can't be captured; create a stream");
    if (stream->capture) return call.error(cudaErrorIllegalState, "the stream is being captured already");
    auto* capture = new Capture(mode, stream, ++captures_made);
    captures().push_back(capture);
    join(*stream, *capture);
    return cudaSuccess;
}

bool joined(Capture& capture) {
    const Progress& seen = capture.seen[capture.origin->id];
    for (const auto& [id, done] : capture.done) {
        const auto found = seen.find(id);
        if (id != capture.origin->id && (found == seen.end() || found->second < done)) return false;
    }
    return true;
}

cudaError_t end(Call& call, cudaStream_t handle, cudaGraph_t* graph) {
    CUstream_st* stream = find_stream(handle);
    *graph = nullptr;
    if (!stream || !stream->capture) return call.error(cudaErrorIllegalState, "the stream is not being captured");
    if (stream->capture->origin != stream) {
        spoil(*stream->capture);
        return call.error(cudaErrorStreamCaptureUnmatched, "the capture began on another stream");
    }
    const std::unique_ptr<Capture> capture(stream->capture);
    leave_capture(*capture);
    if (capture->spoiled)
        return refuse_spoiled(call, *capture);
    if (!joined(*capture))
        return call.refuse(cudaErrorStreamCaptureUnjoined, "work of another stream is not joined into this one");
    auto made = std::make_unique<CUgraph_st>();
    made->steps = std::move(capture->steps);
    made->origin = stream->id;
    *graph = made.get();
    graphs[*graph] = std::move(made);
    return cudaSuccess;
}

cudaError_t no_graph(Call& call) { return call.refuse(cudaErrorInvalidValue, "the graph does not exist"); }

cudaError_t instantiate(Call& call, cudaGraphExec_t* executable, cudaGraph_t graph) {
    *executable = nullptr;
    if (!graphs.count(graph)) return no_graph(call);
    auto made = std::make_unique<CUgraphExec_st>();
    made->steps = graph->steps;
    made->origin = graph->origin;
    *executable = made.get();
    executables[*executable] = std::move(made);
    return cudaSuccess;
}

// `after` waits for all work so far of `before`.
void order(Call& call, unsigned before, unsigned after) {
    const std::string event = std::to_string(new_event_number());
    perform(recorded(call, "\"op\":\"record_event\",\"event\":" + event), before);
    perform(recorded(call, "\"op\":\"wait_event\",\"event\":" + event), after);
}

unsigned branch(std::map<unsigned, unsigned>& branches, unsigned captured) {
    unsigned& number = branches[captured];
    // Nothing but the graph's own edges orders it.
    if (number == 0) number = new_stream_number(cudaStreamNonBlocking);
    return number;
}

// The captured origin becomes the stream of the launch, each other stream one of the graph's own. So does the origin
// on the default stream, which would order the branches: there the whole graph comes between what is before and after.
void launch_now(Call& call, CUgraphExec_st& graph, unsigned stream) {
    bool alone = true;
    for (const CapturedStep& captured : graph.steps) alone = alone && captured.stream == graph.origin;
    const unsigned origin = stream != 0 || alone ? stream : branch(graph.branches, graph.origin);
    // A graph waits for its launch before (CUDA Runtime API, cudaGraphLaunch).
    if (graph.launched && graph.last != stream) order(call, graph.last, stream);
    graph.launched = true;
    graph.last = stream;
    if (origin != stream) order(call, stream, origin);
    for (const CapturedStep& captured : graph.steps)
        perform(captured.step, captured.stream == graph.origin ? origin : branch(graph.branches, captured.stream));
    if (origin != stream) order(call, origin, stream);
}

cudaError_t launch(Call& call, cudaGraphExec_t executable, cudaStream_t handle) {
    if (!executables.count(executable)) return no_graph(call);
    cudaError_t error = cudaSuccess;
    if (!stream_takes_work(call, handle, &error)) return error;
    CUstream_st* stream = find_stream(handle);
    if (Capture* capture = stream->capture) {
        const uint64_t most = state().most_steps;
        if (capture->steps.size() + executable->steps.size() > most)
            call.stop("steps", "it puts more than " + std::to_string(most) + " pieces of work into one graph");
        std::map<unsigned, unsigned> branches{{executable->origin, stream->id}};
        for (const CapturedStep& captured : executable->steps) {
            capture->steps.push_back({branch(branches, captured.stream), captured.step});
            capture->done[stream->id]++;
        }
    } else {
        launch_now(call, *executable, stream->id);
    }
    work_was_accepted();
    return cudaSuccess;
}

}  // namespace

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    Call call("cudaStreamBeginCapture");
    return begin(call, stream, mode);
}

API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    Call call("cudaStreamEndCapture");
    return end(call, stream, graph);
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    Call call("cudaStreamIsCapturing");
    const CUstream_st* stream = find_stream(handle);
    if (!stream) return call.error(cudaErrorInvalidResourceHandle, "the stream does not exist");
    *status = !stream->capture           ? cudaStreamCaptureStatusNone
              : stream->capture->spoiled ? cudaStreamCaptureStatusInvalidated
                                         : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                         cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                                         const cudaGraphEdgeData** edges, size_t* count) {
#else
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                         cudaGraph_t* graph, const cudaGraphNode_t** nodes, size_t* count) {
    const void** edges = nullptr;
#endif
    Call call("cudaStreamGetCaptureInfo");
    if (const cudaError_t error = cudaStreamIsCapturing(stream, status)) return error;
    const Capture* capture = find_stream(stream)->capture;
    if (capture && (graph || nodes || edges || count))
        call.stop("unsupported_call", "it asks for the nodes of a graph being captured");
    if (capture && id) *id = capture->id;
    return cudaSuccess;
}

API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    Call call("cudaGraphInstantiate");
    return instantiate(call, executable, graph);
}

API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    Call call("cudaGraphInstantiateWithFlags");
    return instantiate(call, executable, graph);
}

API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                               cudaGraphInstantiateParams* params) {
    Call call("cudaGraphInstantiateWithParams");
    const cudaError_t error = instantiate(call, executable, graph);
    if (params) params->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return error;
}

API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                    cudaGraphExecUpdateResultInfo* result) {
    Call call("cudaGraphExecUpdate");
    if (!executables.count(executable) || !graphs.count(graph)) return no_graph(call);
    executable->steps = graph->steps;
    executable->origin = graph->origin;
    if (result) *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    return cudaSuccess;
}

API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
    Call call("cudaGraphUpload");
    return executables.count(executable) ? cudaSuccess : no_graph(call);
}

API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    Call call("cudaGraphLaunch");
    return launch(call, executable, stream);
}

API cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    Call call("cudaGraphClone");
    if (!graphs.count(graph)) return no_graph(call);
    auto made = std::make_unique<CUgraph_st>(*graph);
    *clone = made.get();
    graphs[*clone] = std::move(made);
    return cudaSuccess;
}

API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    Call call("cudaGraphGetNodes");
    if (!graphs.count(graph)) return no_graph(call);
    if (nodes) call.stop("unsupported_call", "it asks for the nodes of a graph");
    *count = 0;
    // Events order the nodes and are none themselves.
    for (const CapturedStep& captured : graph->steps)
        *count += captured.step.body.find("_event\"") == std::string::npos;
    return cudaSuccess;
}

API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    Call call("cudaGraphDestroy");
    return graphs.erase(graph) ? cudaSuccess : call.error(cudaErrorInvalidValue, "the graph does not exist");
}

API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    Call call("cudaGraphExecDestroy");
    return executables.erase(executable) ? cudaSuccess : call.error(cudaErrorInvalidValue, "the graph does not exist");
}
