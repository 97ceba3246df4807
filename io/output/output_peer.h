#pragma once
// A receiver at an address that takes the output as it comes.

#include <chrono>
#include <functional>
#include <string>

#include "io/handles.h"
#include "io/output/sink.h"
#include "io/retries.h"

namespace vfilter {

/// One connection. One thread; `given_up` may be called on any.
class OutputPeer {
public:
    /// Opens nothing yet. `given_up` is called while waiting; if it returns true, the wait ends. `reconnect` is the
    /// number of consecutive attempts to reach a lost one again.
    OutputPeer(std::string path, int reconnect, std::function<bool()> given_up);
    ~OutputPeer();
    OutputPeer(const OutputPeer&) = delete;
    OutputPeer& operator=(const OutputPeer&) = delete;

    /// Connects, and gives `muxer` what it needs to write there. Throws Error(output) if there is no answer.
    void connect(AVFormatContext& muxer);
    void disconnect();
    /// After a loss, with the reason `why`: reports it, and waits 0.5 s, later up to 5 s. False once all allowed
    /// attempts since a connection that held for 10 s have been made, or if nobody wants to continue.
    [[nodiscard]] bool wait_for_another_try(const std::string& why);
    /// Sets the options with which the muxer must be opened.
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
    AVIOContext* context_ = nullptr;  // null if the muxer connects itself
};

}  // namespace vfilter
