// expect: runtime_error launch_failure
// A stream whose number no recorder gives: the order of steps is kept by such numbers.
#include <cstring>
#include <string>
#include <sys/socket.h>

static void frame(const std::string& text) {
    std::string bytes(4, '\0');
    const unsigned size = text.size();
    memcpy(bytes.data(), &size, 4);
    bytes += text;
    send(3, bytes.data(), bytes.size(), 0);
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    frame("{\"op\":\"steps\",\"steps\":[{\"op\":\"record_event\",\"event\":1,\"stream\":2147483647,\"at\":[]}]}");
}
