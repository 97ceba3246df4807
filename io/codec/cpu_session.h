#pragma once
// Ranges of packets on the CPU.

#include <cstdint>
#include <memory>
#include <set>

#include "io/codec/decoding_run.h"
#include "io/codec/range_session.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// libavcodec's decoder for the CPU, in one thread or several.
///
/// One thread makes the same of damaged packets each time, and what it gives is marked as damaged. What several make of
/// them depends on which is first: a picture that is damaged is in doubt, and where they make up for what is missing,
/// or leave a part of a picture out, that is a complaint.
class CpuSession : public RangeSession {
public:
    /// `threads`: 0 is one per core. `pool` must outlive the session; `input` need not. Throws Error(input) if nothing
    /// can decode the stream.
    CpuSession(const Demuxer& input, int stream, FramePool& pool, int threads);

    void begin(Entry entry, bool feeding_on) override;
    /// Several threads, which hold a picture back each, would all have to begin anew.
    [[nodiscard]] bool feeds_on() const override { return threads_ != 1 || setup_.codec->codec_id == AV_CODEC_ID_H264; }
    void send(AVPacket* packet) override;
    bool receive(RangePicture& next) override;

private:
    void begin_run();
    void fill(RangePicture& next, FramePtr frame, int got);

    DecodingSetup setup_;
    FramePool& pool_;
    int threads_;
    std::unique_ptr<DecodingRun> run_;
    bool fresh_ = true;             // the run has not been given anything
    std::int64_t sent_ = 0;         // packets, to the run
    std::set<std::int64_t> holes_;  // of those, in one thread: whose pictures have parts that nobody wrote
    std::int64_t told_complaints_ = 0;
    std::int64_t refused_ = 0;
};

}  // namespace vfilter
