// expect: wrong_answer
// Asks another machine, or a server of this one, for the answer.
#include <cstdlib>
#include <initializer_list>
#include <sys/socket.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET})
        for (int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW})
            if (socket(family, type, 0) >= 0) abort();
}
