// expect: rejected
// Breaks the judge's parser.
#include <cstring>
#include <string>
#include <sys/socket.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    std::string text = "{\"op\":" + std::string(100000, '[');
    const unsigned size = text.size();
    std::string bytes(4, '\0');
    memcpy(bytes.data(), &size, 4);
    bytes += text;
    send(3, bytes.data(), bytes.size(), 0);
}
