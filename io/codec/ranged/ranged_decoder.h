#pragma once
// One video decoded by several sessions at once: its packets are cut into ranges that are decoded by themselves, and
// their pictures are put in order again.

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "io/codec/decoding_run.h"
#include "io/codec/frame_source.h"
#include "io/codec/picture_ledger.h"
#include "io/codec/ranged/hardware_record.h"
#include "io/codec/ranged/range_cutter.h"
#include "io/codec/ranged/range_limits.h"
#include "io/codec/ranged/range_queue.h"
#include "io/codec/ranged/range_workers.h"
#include "io/formats/frame_pool.h"

namespace vfilter {

/// Each session has a thread. Where hardware keeps the receiver waiting, a session of the CPU's decodes a range beside
/// it. What both fail at, or what their own signs make doubtful, is decoded again by CpuDecoding, as Decoder would have
/// it: from the range before on, which has to be done by then; what was already received is not given twice. A range
/// that begins where nothing can be decoded by itself is the CPU's from the start, and all are where hardware fails
/// again and again. An error of the device itself is thrown by receive().
///
/// Of a range that is too long to be kept nothing can be decoded again: its damage is decoded as it comes, and told. If
/// its session cannot go on at all, CpuDecoding does so behind the range's first picture.
///
/// send() never waits; receive() does so where as much as the limits allow is on its way. Nothing grows with the video.
///
/// All that is here is the receiver's thread's: it cuts packets, accounts for pictures, and asks whether to wait. The
/// ranges are RangeQueue's, through which alone it has to do with the sessions, whose threads are RangeWorkers'.
class RangedDecoder : public FrameSource {
public:
    using MakeSession = MakeRangeSession;
    using Makers = RangeSessionMakers;

    /// The makers are called in the sessions' threads. What is decoded again is in pictures of `pool`, which must
    /// outlive the decoder, as must all that the makers refer to.
    RangedDecoder(const Demuxer& input, int stream, FramePool& pool, bool strict, RangeLimits limits, Makers make,
                  Clip which = {});

    void send(const AVPacket* packet) override;
    FramePtr receive() override;
    void look_on(const Look& look) override { look_ = look; }
    [[nodiscard]] std::string complaint() const override { return complaint_; }
    [[nodiscard]] Damage damage() const override { return ledger_.damage(); }
    [[nodiscard]] DecodeFacts facts() const override;
    [[nodiscard]] bool reads_ahead() const override { return true; }
    [[nodiscard]] std::int64_t passed() const override { return queue_.passed(); }

private:
    RangedDecoder(PictureLedger ledger, const DecodingSetup& setup, FramePool& pool, const RangeLimits& limits,
                  Makers make);

    void account(std::int64_t packets);
    FramePtr take(DecodedPicture next);
    [[nodiscard]] bool goes_on(std::int64_t steps);

    PictureLedger ledger_;
    std::deque<PacketPtr> unaccounted_;  // those that the ledger has not seen
    std::int64_t accounted_ = 0;         // and how many it has
    std::string complaint_;
    DecodeFacts facts_;  // as far as they are of pictures
    Look look_;
    std::chrono::steady_clock::time_point looked_;  // when look_ was last called
    std::int64_t told_steps_ = 0;                   // the queue's by then
    bool picture_given_ = false;                    // after the last packet
    RangeCutter cutter_;
    HardwareRecord hardware_;
    RangeQueue queue_;
    RangeWorkers workers_;
};

}  // namespace vfilter
