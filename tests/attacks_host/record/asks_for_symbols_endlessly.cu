// expect: time_limit_exceeded
// Questions whose answers take the judge longer than asking takes: its own time does not count.
#include <cstring>
#include <string>
#include <sys/socket.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    const std::string text = "{\"op\":\"symbol\",\"name\":\"none\",\"size\":4}";
    std::string bytes(4, '\0');
    const unsigned size = text.size();
    memcpy(bytes.data(), &size, 4);
    bytes += text;
    char answer[64];
    for (;;) {
        send(3, bytes.data(), bytes.size(), 0);
        recv(3, answer, sizeof answer, 0);
    }
}
