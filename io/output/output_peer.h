#pragma once
// Somebody at an address who takes the output as it comes.

#include <chrono>
#include <functional>
#include <string>

#include "io/handles.h"
#include "io/output/sink.h"
#include "io/retries.h"

namespace vfilter {

/// One connection. One thread; `given_up` may be asked on any.
class OutputPeer {
public:
    /// Opens nothing yet. While something is waited for `given_up` is asked; its true ends the waiting.
    /// `reconnect` is how often in a row it is tried to reach a lost one again.
    OutputPeer(std::string path, int reconnect, std::function<bool()> given_up);
    ~OutputPeer();
    OutputPeer(const OutputPeer&) = delete;
    OutputPeer& operator=(const OutputPeer&) = delete;

    /// Connects, and gives `muxer` what it needs to write there. Throws Error(output) if nobody answers.
    void connect(AVFormatContext& muxer);
    void disconnect();
    /// After a loss, for which `why` is the reason: tells, and waits 0.5 s, later up to 5 s. False once it has been
    /// tried as often as is allowed since a connection that held for 10 s, or nobody wants to go on.
    [[nodiscard]] bool wait_for_another_try(const std::string& why);
    /// What the muxer is to be opened with.
    void set_options(Dictionary& settings) const;
    /// Whether connections are made by the muxer, which ends them with the trailer.
    [[nodiscard]] bool muxer_connects() const { return sink_.kind == Sink::Kind::announced; }
    /// The address without names, passwords and queries.
    [[nodiscard]] std::string name() const { return shown_name(path_); }

private:
    static int interrupted(void* self);

    std::string path_;
    Retries retries_;
    std::chrono::steady_clock::time_point connected_{};
    std::function<bool()> given_up_;
    const Sink& sink_;
    AVIOContext* context_ = nullptr;  // null where the muxer connects itself
};

}  // namespace vfilter
