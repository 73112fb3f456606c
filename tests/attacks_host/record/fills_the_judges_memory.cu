// expect: rejected
// A frame of 50 million empty objects, each of which takes the judge twenty times its bytes.
#include <cstring>
#include <string>
#include <sys/socket.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    std::string text = "{\"op\":\"steps\",\"steps\":[";
    text.reserve(150 << 20);
    while (text.size() < (150u << 20) - 16) text += "{},";
    text += "{}]}";
    const unsigned size = text.size();
    send(3, &size, 4, 0);
    for (size_t at = 0; at < text.size();) {
        const ssize_t sent = send(3, text.data() + at, text.size() - at, 0);
        if (sent <= 0) return;
        at += sent;
    }
}
