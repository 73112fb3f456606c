// expect: rejected
// A copy to the host that has no place in the order.
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
    frame("{\"op\":\"read\",\"address\":" + std::to_string((unsigned long long)A) + ",\"size\":4,\"at\":[]}");
}
