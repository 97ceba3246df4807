#pragma once
// A video's ranges on their way from the receiver, which gives packets, through the sessions and back to it.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "io/codec/decoded_picture.h"
#include "io/codec/ranged/hardware_record.h"
#include "io/codec/ranged/packet_range.h"
#include "io/codec/ranged/picture_room.h"
#include "io/codec/ranged/range_cutter.h"
#include "io/codec/ranged/range_history.h"
#include "io/codec/ranged/range_limits.h"

namespace vfilter {

/// What there is for the receiver.
struct RangeArrival {
    enum class What {
        nothing,  ///< another packet is needed
        decoded,  ///< `next`
        waited,   ///< a while for `next`, in vain or not
        end,      ///< no more come
    };
    What what = What::nothing;
    std::int64_t packets = 0;  ///< so many, the first ones of all, have been decoded
    DecodedPicture next{};     ///< without a picture: only what was said
    std::int64_t steps = 0;    ///< RangeQueue's, when it had waited
};

/// Where CpuDecoding goes on with a range.
struct RangeResumption {
    std::deque<PacketPtr> before;         ///< what it gets first
    std::int64_t read = 0;                ///< packets of the range that it does not get
    std::int64_t given = AV_NOPTS_VALUE;  ///< pts of the last picture that is not to be given again
};

/// The ranges in their order: deals them to sessions, with packets and room for pictures, and gives back what they
/// make of them. It has the one mutex, and all waiting is done here; what is called under it locks nothing but
/// HardwareRecord. A range is one session's from when it is dealt until it is finished.
///
/// The receiver's thread puts packets in and takes pictures out, the sessions' threads do the rest; each function says
/// whose it is. Any of them may throw std::bad_alloc.
class RangeQueue {
public:
    /// `hardware` must outlive the queue.
    RangeQueue(const RangeLimits& limits, AVCodecID codec, const HardwareRecord& hardware);

    /// The receiver's. The next packet; never waits.
    void put(Cut cut);
    /// The receiver's. No more packets.
    void end();
    /// The receiver's. What is next. With `packet_first` that is a packet, as far as there is room. Waits, for no
    /// longer than 100 ms at a time, where as much as the limits allow is on its way. Throws what a session has thrown.
    [[nodiscard]] RangeArrival next(bool packet_first);
    /// The receiver's. FrameSource's.
    [[nodiscard]] std::int64_t passed() const;
    /// The receiver's. Ranges that no session has begun, less the sessions that wait for one.
    [[nodiscard]] std::int64_t unclaimed() const;
    /// Nothing is waited for any more. Any thread.
    void stop();

    /// The sessions', from here on. The next range for one of that kind, null at the end. Waits for one: for the CPU's
    /// threads, until hardware is behind and there is one that suits them.
    [[nodiscard]] PacketRange* deal(Made kind);
    /// The range that a session of that kind is to go on with at once, without ending this one, whose packets it has
    /// had; null if there is none.
    [[nodiscard]] PacketRange* deal_ahead(const PacketRange& range, Made kind);
    /// Waits until all pictures are received.
    void wait_for_others();
    /// Whether there is nothing left to begin.
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] bool is_stopped() const;
    /// Decoding gets on without a packet or a picture. False where that is to stop.
    bool get_on();
    /// Stops, and has the receiver throw that, unless another one was first.
    void fail(std::exception_ptr error);

    /// Of a range in hand, from here on. Its next packet, null when there are no more, or when all is to end. Waits for
    /// it. `anew`: the decoder has not seen what came before the range.
    [[nodiscard]] PacketPtr next_packet(PacketRange& range, bool anew);
    /// Hands a picture on, or what was said without one. Waits for room.
    void deliver(PacketRange& range, DecodedPicture next, Made made);
    /// What a try has made goes; what was received stays.
    void take_back(PacketRange& range);
    /// Whether decoding that begins with it has what all decoding before would have.
    void note_entry(PacketRange& range, bool whole);
    /// No more pictures come of it: it is nobody's any more.
    void finish(PacketRange& range);

    /// To decode it from its first packet on, after the ranges before it: waits until the one before is done.
    [[nodiscard]] RangeResumption repeat(PacketRange& range);
    /// To decode what is left of it, behind its first picture, as that is all there is to lean on.
    [[nodiscard]] RangeResumption resume(const PacketRange& range) const;

    /// Why it is the CPU's from the start; "" if it is not.
    [[nodiscard]] std::string on_cpu(const PacketRange& range) const;
    [[nodiscard]] RangeState state(const PacketRange& range) const;
    /// Whether nobody has tried it and it can be decoded again, as all of it is there and kept.
    [[nodiscard]] bool is_untouched(const PacketRange& range) const;

private:
    void wake_all_to_stop();
    void begin_range(Cut& cut);
    void add(PacketPtr packet, PacketRange& range, PacketShare share);
    [[nodiscard]] bool full() const;
    [[nodiscard]] RangeArrival take_picture();
    void retire_first();
    [[nodiscard]] bool wants_help() const;
    [[nodiscard]] bool is_oldest(const PacketRange& range) const { return &range == ranges_.front().get(); }

    RangeLimits limits_;
    AVCodecID codec_;
    const HardwareRecord& hardware_;

    // All that follows is guarded by it.
    mutable std::mutex mutex_;
    std::condition_variable to_do_;                    // sessions wait for ranges and packets
    std::condition_variable space_;                    // and for room for a picture
    std::condition_variable progress_;                 // the receiver waits, and who wants a range done
    std::deque<std::unique_ptr<PacketRange>> ranges_;  // in order; of the first one pictures are received
    RangeHistory history_;                             // what came before them
    PictureRoom room_;
    std::int64_t begun_ = 0;   // ranges in all
    std::size_t dealt_ = 0;    // of ranges_: those that sessions have begun
    std::size_t bytes_ = 0;    // of packets in ranges_
    std::int64_t passed_ = 0;  // packets of ranges that are gone
    int idle_ = 0;             // sessions that wait for a range
    std::int64_t steps_ = 0;   // packets that were read to be decoded, and pictures that came
    bool receiver_waits_ = false;
    bool starved_ = false;  // when a picture was last asked for there was none
    bool all_sent_ = false;
    bool stopped_ = false;
    std::exception_ptr error_;
};

}  // namespace vfilter
