#pragma once
// A receiver at an address that takes the output as it comes.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "config/error.h"
#include "io/attended_clock.h"
#include "io/handles.h"
#include "io/output/sink.h"
#include "io/retries.h"

namespace vfilter {

/// It cannot be reached, or has gone away: another attempt may help. The message is the reason, without the address.
class PeerAway : public Error {
public:
    explicit PeerAway(const std::string& why) : Error(ExitCode::output, why) {}
};

/// One connection. One thread, from which its callbacks are called.
class OutputPeer {
public:
    struct Waiting {
        std::function<bool()> given_up;  ///< if it returns true, every wait ends
        std::function<void()> beat;      ///< this waits for the address and has not hung; may be empty
        double most_seconds = 0;         ///< if nothing was taken for so long, the address counts as lost; 0 for ever
    };

    /// Opens nothing yet. `reconnect` is the number of consecutive attempts to reach a lost one again. What `waiting`
    /// holds is called several times a second while this waits.
    OutputPeer(std::string path, int reconnect, Waiting waiting);
    ~OutputPeer();
    OutputPeer(const OutputPeer&) = delete;
    OutputPeer& operator=(const OutputPeer&) = delete;

    /// Connects, and gives `muxer` what it needs to write there. Throws PeerAway if there is no answer.
    void connect(AVFormatContext& muxer);
    void disconnect();
    /// The beginning was taken there: what counts as a connection has begun.
    void note_connected();
    /// The muxer is about to be given something to send: from now on it may wait.
    void begin_sending();
    /// What FFmpeg's `error` means here, in words.
    [[nodiscard]] std::string why_lost(int error) const;
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
    using Clock = std::chrono::steady_clock;

    static int interrupted(void* self);
    [[nodiscard]] bool wait_is_over();
    [[nodiscard]] bool asks_to_end() const;

    std::string path_;
    Retries retries_;
    std::optional<Clock::time_point> connected_;  // since when it is
    Clock::time_point taken_{};                   // when something was taken last
    Waiting waiting_;
    const Sink& sink_;
    AVIOContext* context_ = nullptr;  // null if the muxer connects itself
    AttendedClock attended_;
    Clock::duration since_{};  // by that clock: the wait for what is sent, or for the rest of it
    std::int64_t place_ = 0;   // in what is sent
    bool silent_ = false;      // it was waited for as long as is allowed, in vain
};

}  // namespace vfilter
