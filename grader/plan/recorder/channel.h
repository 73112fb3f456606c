// The line to the judge on descriptor 3: frames of JSON there, short answers back.
#pragma once

#include <string>

namespace kgrade::channel {

// The next frame from the judge. The process ends where the judge has gone.
std::string receive();
// One step more; sent with others in one frame.
void add(const std::string& step);
// All steps so far, then this frame.
void send(const std::string& frame);
std::string ask(const std::string& question);
// For the handler of a crash, which may have interrupted the lines above: only this frame.
void send_alone(const std::string& frame);

}  // namespace kgrade::channel
