#pragma once
// What is sent to an address: one that is not there yet, that goes away, and that comes back.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/handles.h"
#include "io/output/output_peer.h"

namespace vfilter {

/// Says when the header of an output is written, again after a loss, and which of its packets are lost. One thread,
/// unless stated otherwise.
class PeerSession {
public:
    /// How the muxer begins its output.
    struct Output {
        std::function<void()> write_header;  ///< throws PeerAway if the address is the reason that it fails
        std::function<void()> repeat;        ///< makes a context into which the header can be written once more
    };

    /// `peer` must outlive it. What `output` holds is called by begin() and begin_again().
    PeerSession(OutputPeer& peer, Output output);

    /// The first header of all. An address may come later than we do. Throws Error(output) if that is in vain, or
    /// nobody waits for it, or another try would not mend it.
    void begin();
    /// After a loss, with the reason `why`: the header again, and then whatever can be shown. Throws Error(output) if
    /// that is in vain, or nobody waits for it.
    void begin_again(std::string why);

    /// Before a header is written: connects `muxer`, and sets its options. Throws PeerAway.
    void prepare(AVFormatContext& muxer, Dictionary& settings);
    /// Behind the header.
    void note_connected() { peer_.note_connected(); }
    /// The muxer refused a header with FFmpeg's `error`, which is about the streams (`of_streams`) or else the
    /// connection. `heard` is what FFmpeg said meanwhile, `complaint` the muxer's own message. Throws PeerAway if the
    /// address is the reason; else Error(output) if muxer_connects(), as a server may have refused; else returns.
    void tell_refused_header(int error, bool of_streams, const std::vector<std::string>& heard,
                             const std::string& complaint) const;

    /// Before the muxer is given something to send.
    void begin_sending() { peer_.begin_sending(); }
    /// What FFmpeg's `error` means here, in words.
    [[nodiscard]] std::string why_lost(int error) const { return peer_.why_lost(error); }
    /// Whether connections are the muxer's own.
    [[nodiscard]] bool muxer_connects() const { return peer_.muxer_connects(); }

    /// Whether the next packet, of a `video` or anything else, is sent. Since the address came back nobody there can
    /// show anything before a key frame: what comes before is lost.
    [[nodiscard]] bool passes(const AVPacket& packet, bool video);
    /// A packet was lost on the way, or while it waited.
    void lose_packet() { ++lost_; }
    /// Packets of all streams that are lost. Any thread.
    [[nodiscard]] std::int64_t lost_packets() const { return lost_.load(std::memory_order_relaxed); }

private:
    enum class Sent { nothing, something };
    void connect_again(std::string why, Sent before);

    OutputPeer& peer_;
    Output output_;
    bool awaits_key_frame_ = false;  // since the address came back
    std::atomic<std::int64_t> lost_{0};
};

}  // namespace vfilter
