// expect: runtime_error launch_failure
// Asks the runner to overwrite memory that is not the submission's.
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
    frame("{\"op\":\"steps\",\"steps\":[{\"op\":\"memset\",\"address\":4096,\"value\":0,\"size\":18446744073709551615,"
          "\"stream\":0,\"at\":[]}]}");
}
