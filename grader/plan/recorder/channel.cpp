#include "channel.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace kgrade::channel {
namespace {

constexpr int DESCRIPTOR = 3;
constexpr size_t BATCH = 64 << 10;
// So many steps go one by one: what a solve() that never returns began with is known.
constexpr int ALONE = 8;

std::string batch;
int alone = 0;

[[noreturn]] void leave() {
    syscall(SYS_exit_group, 1);
    __builtin_unreachable();
}

void write_all(const char* data, size_t size) {
    while (size > 0) {
        const ssize_t written = ::send(DESCRIPTOR, data, size, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) leave();
        data += written;
        size -= static_cast<size_t>(written);
    }
}

void read_all(char* data, size_t size) {
    while (size > 0) {
        const ssize_t got = ::recv(DESCRIPTOR, data, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) leave();
        data += got;
        size -= static_cast<size_t>(got);
    }
}

void write_frame(const std::string& payload) {
    const uint32_t size = static_cast<uint32_t>(payload.size());
    const unsigned char header[4] = {static_cast<unsigned char>(size), static_cast<unsigned char>(size >> 8),
                                     static_cast<unsigned char>(size >> 16), static_cast<unsigned char>(size >> 24)};
    write_all(reinterpret_cast<const char*>(header), sizeof header);
    write_all(payload.data(), payload.size());
}

void flush() {
    if (batch.empty()) return;
    write_frame("{\"op\":\"steps\",\"steps\":[" + batch + "]}");
    batch.clear();
}

}  // namespace

std::string receive() {
    unsigned char header[4];
    read_all(reinterpret_cast<char*>(header), sizeof header);
    std::string payload(header[0] | header[1] << 8 | header[2] << 16 | static_cast<uint32_t>(header[3]) << 24, '\0');
    read_all(payload.data(), payload.size());
    return payload;
}

void add(const std::string& step) {
    if (!batch.empty()) batch += ',';
    batch += step;
    if (batch.size() >= BATCH || alone++ < ALONE) flush();
}

void send(const std::string& frame) {
    flush();
    write_frame(frame);
}

std::string ask(const std::string& question) {
    send(question);
    return receive();
}

void send_alone(const std::string& frame) { write_frame(frame); }

}  // namespace kgrade::channel
