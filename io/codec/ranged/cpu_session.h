#pragma once
// Ranges of packets on the CPU.

#include <cstdint>
#include <memory>

#include "io/codec/decoding_run.h"
#include "io/codec/ranged/range_session.h"

namespace vfilter {

/// libavcodec's decoder for the CPU, in one thread or several, for ranges that are whole: a picture that is damaged is
/// in doubt, and where the decoder makes up for what is missing, or leaves a part of a picture out, that is a
/// complaint.
class CpuSession : public RangeSession {
public:
    /// `threads`: 0 is one per core. `pool` must outlive the session. Throws Error(input) if nothing can decode the
    /// stream.
    CpuSession(DecodingSetup setup, FramePool& pool, int threads);

    void begin(Entry entry, bool feeding_on) override;
    /// Several threads, which hold a picture back each, would all have to begin anew.
    [[nodiscard]] bool feeds_on() const override { return threads_ != 1 || setup_.codec->codec_id == AV_CODEC_ID_H264; }
    void send(AVPacket* packet) override;
    bool receive(DecodedPicture& next) override;

private:
    void begin_run();
    void fill(DecodedPicture& next, FramePtr frame, int got);

    DecodingSetup setup_;
    FramePool& pool_;
    int threads_;
    std::unique_ptr<DecodingRun> run_;
    bool fresh_ = true;      // the run has not been given anything
    std::int64_t sent_ = 0;  // packets, to the run
    std::int64_t told_doubts_ = 0;
    std::int64_t refused_ = 0;
};

}  // namespace vfilter
