// What all parts of the recording CUDA runtime share: the state of one call of solve(), and how a call of the
// runtime is written down, answered or ended. The process holds no GPU: addresses are numbers here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#define KGRADE_EXPORTED __attribute__((visibility("default")))
#define API extern "C" KGRADE_EXPORTED

namespace kgrade {

// ---- What the judge tells at the start -------------------------------------------------------------------------

struct Kernel {
    std::string symbol;
    std::vector<uint32_t> parameters;  // bytes of each
    int registers = 0;
    int shared_bytes = 0;  // static
    int local_bytes = 0;
    int max_threads = 1024;
    int dynamic_limit = 0;  // dynamic shared memory that a launch may ask for
    int carveout = -1;
    bool wide_clusters = false;
    dim3 cluster = dim3(0, 0, 0);  // that of __cluster_dims__; zeros for none
};

struct Symbol {
    std::string name;
    uint64_t size = 0;
    uint64_t address = 0;  // 0: not asked for yet
};

struct DeviceMemory {
    uint64_t size = 0;
    std::string array;  // the problem's name for it; empty for what solve() allocated itself
    bool symbol = false;
    bool freed_by_graph = false;
};

// What solve() has freed: for the words about a later use.
struct Freed {
    uint64_t size = 0;
    std::string at;
};

struct Failure {
    cudaError_t code = cudaSuccess;
    std::string call, message, at;
    std::string earlier = "[]";  // the call before that is to blame, such as a cudaFree()
    bool read = false;  // the submission asked cudaGetLastError() or the like afterwards
};

struct State {
    std::string shared_object;
    std::map<int, int> attributes;  // cudaDeviceAttr -> value
    std::string device_name = "GPU";
    uint64_t total_memory = 0;
    std::map<std::string, Kernel> kernels;           // by symbol
    std::map<const void*, Kernel*> functions;        // by the address of the host's stub
    std::map<const void*, Symbol> symbols;           // by the address of the host's shadow
    uint64_t constant_bytes = 0;                     // of all __constant__ variables
    std::map<uint64_t, DeviceMemory> memory;         // by address
    std::map<uint64_t, Freed> freed;
    uint64_t allocated = 0;
    uint64_t most_steps = 100000, most_bytes = 64 << 20;
    uint64_t steps = 0, bytes = 0;
    bool working = false;  // work was given since the host has waited for all of it
    bool failed = false;  // `failure` is an enqueued piece of work that never ran
    Failure failure;
    std::vector<Failure> errors;  // what other calls were answered with
    bool loaded = false;  // the library, its constructors included
    bool ended = false;

    int attribute(cudaDeviceAttr which) const;
};

State& state();

// ---- A call of the runtime -------------------------------------------------------------------------------------

// Held for the length of a call: one thread at a time is inside the recorder.
class Call {
public:
    explicit Call(const char* name);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // The offsets in the library of the calls that led here, innermost first, as a JSON list.
    const std::string& at();

    // Answers with an error, which cudaGetLastError() then tells as well. `earlier` is the place of the call before that
    // is to blame.
    cudaError_t error(cudaError_t code, const std::string& message = "", const std::string& earlier = "[]");
    // The same for work that is now missing: unless the submission handles it, the recording has failed.
    cudaError_t refuse(cudaError_t code, const std::string& message, const std::string& earlier = "[]");
    // Ends the recording. `fault` is a word of grader/plan/frames.py.
    [[noreturn]] void stop(const char* fault, const std::string& message, const std::string& hint = "");

    const char* const name;
    static thread_local Call* current;

private:
    Call* const outer_;
    std::string at_;
};

std::string frames_here();
[[noreturn]] void stop(const char* fault, const char* call, const std::string& at, const std::string& message,
                       const std::string& hint = "", const std::string& more = "");
void work_was_accepted();
cudaError_t& last_error();
const char* error_name(cudaError_t code);
const char* error_words(cudaError_t code);
std::string failure_text(const Failure& failure);

// ---- Steps ------------------------------------------------------------------------------------------------------

struct Step {
    enum class Kind { recorded, upload, download, host_function } kind = Kind::recorded;
    std::string body;  // the fields of the frame but stream and place, for `recorded`
    std::string at;
    uint64_t device = 0;
    char* host = nullptr;
    uint64_t size = 0;
    std::function<void()> function;
    unsigned wait_for = 0;  // body is a wait for this event
};

// Into the plan now, or into the graph that the stream captures.
void enqueue(cudaStream_t stream, Step step);
void perform(const Step& step, unsigned stream_id);
Step recorded(Call& call, std::string body);

// ---- Memory ------------------------------------------------------------------------------------------------------

// The device memory that holds this address, or null. `room` becomes the bytes from there to its end.
const DeviceMemory* find_memory(uint64_t address, uint64_t* room = nullptr);
bool on_device(uint64_t address, uint64_t size);
// The memory that held this address before it was freed, or null.
const Freed* find_freed(uint64_t address);
// Where it was freed, as a JSON list; empty for memory that was not.
std::string freed_at(uint64_t address);
constexpr char FREED_ALREADY[] = "is memory that is freed already";
std::string described(uint64_t address);
uint64_t symbol_address(Call& call, Symbol& symbol);
void reserve_addresses(uint64_t address, uint64_t size);

// Memory that only graphs free, which may be launched until the end.
void free_memory_of_graphs(Call& call);

// Copies between two places of the host; false where one of them can't be touched.
bool copy_guarded(void* target, const void* source, size_t size);
void catch_crashes();
void refuse_programs();

// Exceptions that leave solve(), or that no handler can ever get.
void catch_exceptions();
// In a handler: ends the recording with what is being handled. `left` is what it came out of: "solve", "constructor" of
// a global variable, or "noexcept", a function that lets none out.
[[noreturn]] void stop_for_exception(const char* left);

// ---- Streams -----------------------------------------------------------------------------------------------------

// False, with the answer in `error`, where the handle is none or the stream can't take work now.
bool stream_takes_work(Call& call, cudaStream_t stream, cudaError_t* error);
bool stream_is_known(cudaStream_t stream);
unsigned stream_id(cudaStream_t stream);
bool is_capturing(cudaStream_t stream);
// What a capture forbids, or what fails in it, makes the graph unusable.
void spoil_capture_of(cudaStream_t stream);
// Calls that CUDA forbids while a stream captures, such as cudaMalloc; true, and the capture is spoiled.
bool forbidden_by_capture();

// Reads one number of the grid's type.
inline uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

std::string quoted(const std::string& text);
std::string hex(const void* data, size_t size);
// Puts the tensor maps that the bytes hold into a JSON list and clears them there.
std::string take_tensor_maps(std::vector<std::string>& arguments);
bool holds_tensor_map(const void* data, size_t size);

}  // namespace kgrade
