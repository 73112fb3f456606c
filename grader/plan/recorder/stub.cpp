// Where the calls end that the recorder does not know. Their entry points are made from the CUDA headers when the
// recorder is built (grader/plan/recorder_build.py), so that each call of that CUDA ends here by its name.
#include "recorder.h"

extern "C" [[noreturn]] void kgrade_unsupported(const char* name) {
    kgrade::Call call(name);
    call.stop("unsupported_call", "");
}
