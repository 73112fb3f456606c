// expect: wrong_answer
// Says itself that all went well (CHEATS, row 10): then what was launched so far is the plan, which is nothing.
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    const std::string text = "{\"op\":\"end\",\"errors\":[],\"verdict\":\"accepted\"}";
    const unsigned size = text.size();
    std::string bytes(4, '\0');
    memcpy(bytes.data(), &size, 4);
    bytes += text;
    send(3, bytes.data(), bytes.size(), 0);
    for (;;) usleep(1000);
}
