#pragma once
// Decodes one video on the CPU: its pictures, their times, and what happened to its packets.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "io/codec/cpu_decoding.h"
#include "io/codec/frame_source.h"
#include "io/codec/picture_ledger.h"
#include "io/formats/frame_pool.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Whether each packet of a stream is decoded without others, so that any may be dropped.
bool has_independent_packets(const AVStream& stream);

/// Decodes one video stream into pictures of `pool`, with CpuDecoding. One thread. For a live input, no pictures are
/// held back for the sake of speed.
class Decoder : public FrameSource {
public:
    /// `stream`: number of the video in `input`. `threads`: 0 is one per core. `pool` must outlive the decoder. It only
    /// gets packets of `which`. Throws Error(input) if nothing can decode the stream, or if its pictures are larger
    /// than the input allows.
    Decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict, Clip which = {});

    void send(const AVPacket* packet) override;
    FramePtr receive() override;
    void look_on(const Look& look) override { decoding_.look_on(look); }

    [[nodiscard]] std::string complaint() const override { return decoding_.complaint(); }
    [[nodiscard]] Damage damage() const override { return ledger_.damage(); }
    /// How often decoding went back.
    [[nodiscard]] std::int64_t times_repeated() const { return decoding_.times_repeated(); }

private:
    PictureLedger ledger_;
    CpuDecoding decoding_;
    std::deque<PacketPtr> sent_;  // packets that the ledger has not seen yet
    std::int64_t accounted_ = 0;  // and how many it has
};

}  // namespace vfilter
