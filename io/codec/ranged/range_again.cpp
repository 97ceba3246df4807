#include "io/codec/ranged/range_again.h"

#include <cstdint>
#include <utility>

#include "io/codec/cpu_decoding.h"

namespace vfilter {

namespace {

// From some packet of a range on.
class RangeAgain {
public:
    RangeAgain(RangeQueue& queue, PacketRange& range, RangeResumption from, const DecodingSetup& setup, FramePool& pool)
        : queue_(queue),
          range_(range),
          from_(std::move(from)),
          before_(static_cast<std::int64_t>(from_.before.size())),
          others_(before_ - from_.read),
          decoding_(setup, pool, 1, before_),
          goes_on_(from_.given == AV_NOPTS_VALUE) {
        decoding_.look_on([&queue](bool /*gets_on*/) { return queue.get_on(); });
    }

    void run();

private:
    void decode(const AVPacket* packet, bool told);
    void hand_on(DecodedPicture next, bool told);
    bool was_given(std::int64_t pts);

    RangeQueue& queue_;
    PacketRange& range_;
    RangeResumption from_;
    std::int64_t before_;
    // So many packets of the decoder's are none of the range's, or, below 0, so many of the range's it has not seen.
    std::int64_t others_;
    CpuDecoding decoding_;
    bool goes_on_;  // behind what was given
};

void RangeAgain::run() {
    for (const PacketPtr& packet : from_.before) {
        decode(packet.get(), true);
    }
    for (bool more = true; more;) {
        const PacketPtr packet = queue_.next_packet(range_, before_ == 0);
        more = packet != nullptr;
        const bool told = packet == nullptr || queue_.state(range_).tells();
        if (!told) {
            hand_on(decoding_.said(), true);
        }
        decode(packet.get(), told);
        if (!told) {
            static_cast<void>(decoding_.said());
        }
    }
    queue_.note_entry(range_, decoding_.enters_whole());
}

void RangeAgain::decode(const AVPacket* packet, bool told) {
    decoding_.send(packet);
    DecodedPicture next;
    while (decoding_.receive(next)) {
        const std::int64_t pts = next.picture->pts;
        // Nothing was said with those that were given: a try ends where something is.
        if (next.number < before_ || !queue_.state(range_).keeps(next.number - others_) || was_given(pts)) {
            next.picture = nullptr;
        }
        hand_on(std::move(next), told);
    }
    hand_on(std::move(next), told);
}

// What is said without a picture that is kept is told by itself, as Decoder does: what it counts for depends on how
// much was decoded then. Not what is said of packets of which another range tells.
void RangeAgain::hand_on(DecodedPicture next, bool told) {
    next.refused = told ? next.refused : 0;
    next.complaints = told ? next.complaints : 0;
    next.known = decoding_.known() - others_;
    if (next.picture || next.refused > 0 || next.complaints > 0) {
        queue_.deliver(range_, std::move(next), Made::again);
    }
}

// Times of what was given rise; after the last one they may be anything.
bool RangeAgain::was_given(std::int64_t pts) {
    const bool was = !goes_on_ && pts != AV_NOPTS_VALUE && pts <= from_.given;
    goes_on_ = goes_on_ || (pts != AV_NOPTS_VALUE && pts >= from_.given);
    return was;
}

}  // namespace

void decode_as_one(RangeQueue& queue, PacketRange& range, const DecodingSetup& setup, FramePool& pool) {
    RangeAgain(queue, range, queue.repeat(range), setup, pool).run();
}

void decode_on(RangeQueue& queue, PacketRange& range, const DecodingSetup& setup, FramePool& pool) {
    RangeAgain(queue, range, queue.resume(range), setup, pool).run();
}

}  // namespace vfilter
