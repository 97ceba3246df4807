#include "io/codec/ranged/ranged_decoder.h"

#include <chrono>
#include <utility>

namespace vfilter {

namespace {

// Without what RangeCutter puts in front of packets.
DecodingSetup bare_setup(DecodingSetup setup) {
    leave_out_messages(setup);
    return setup;
}

}  // namespace

RangedDecoder::RangedDecoder(const Demuxer& input, int stream, FramePool& pool, bool strict, RangeLimits limits,
                             Makers make, Clip which)
    : RangedDecoder(PictureLedger(input, stream, strict, which), decoding_setup(input, stream, which.number), pool,
                    limits, std::move(make)) {}

RangedDecoder::RangedDecoder(PictureLedger ledger, const DecodingSetup& setup, FramePool& pool,
                             const RangeLimits& limits, Makers make)
    : ledger_(std::move(ledger)),
      cutter_(*setup.codec),
      hardware_(limits),
      queue_(limits, setup.codec->codec_id, hardware_),
      workers_(queue_, hardware_, bare_setup(setup), pool, std::move(make)) {}

void RangedDecoder::send(const AVPacket* packet) {
    if (packet == nullptr) {
        queue_.end();
        return;
    }
    unaccounted_.push_back(reference_to(*packet));
    picture_given_ = false;
    Cut cut = cutter_.next(*packet);
    const bool begins = cut.begins;
    if (begins && facts_.ranges++ == 0 && cut.entry == Entry::closed) {
        workers_.warm_up_with(*cut.start);
    }
    queue_.put(std::move(cut));
    if (begins) {
        workers_.help(queue_.unclaimed());
    }
}

FramePtr RangedDecoder::receive() {
    using What = RangeArrival::What;
    for (;;) {
        RangeArrival arrival = queue_.next(picture_given_);
        if (arrival.next.complaints > 0) {
            complaint_ = arrival.next.complaint;
        }
        account(arrival.packets);
        switch (arrival.what) {
            case What::decoded:
                if (FramePtr picture = take(std::move(arrival.next))) {
                    return picture;
                }
                break;
            case What::waited:
                if (!goes_on(arrival.steps)) {
                    return nullptr;
                }
                break;
            case What::end:
                ledger_.ended();
                return nullptr;
            case What::nothing:
                return nullptr;
        }
    }
}

// The first packets of all, so many, have been decoded: not before that are they told of, as Decoder has it.
void RangedDecoder::account(std::int64_t packets) {
    for (; accounted_ < packets; ++accounted_) {
        ledger_.sent(*unaccounted_.front());
        unaccounted_.pop_front();
    }
}

// Null where it is only something that was said.
FramePtr RangedDecoder::take(DecodedPicture next) {
    for (std::int64_t i = 0; i < next.refused; ++i) {
        ledger_.refused();
    }
    if (!next.picture) {
        ledger_.complained(next.complaints, next.complaint);
        return nullptr;
    }
    facts_.hardware += next.made == Made::by_hardware ? 1 : 0;
    facts_.beside += next.made == Made::beside_it ? 1 : 0;
    facts_.resident += next.resident ? 1 : 0;
    picture_given_ = true;
    ledger_.received(*next.picture, next.complaints, next.complaint);
    return std::move(next.picture);
}

// False where nobody wants more. Who looks on hears of what gets on, which may be far from a picture.
bool RangedDecoder::goes_on(std::int64_t steps) {
    constexpr std::chrono::milliseconds interval{100};
    const auto now = std::chrono::steady_clock::now();
    if (!look_ || now - looked_ < interval) {
        return true;
    }
    looked_ = now;
    return look_(steps != std::exchange(told_steps_, steps));
}

DecodeFacts RangedDecoder::facts() const {
    DecodeFacts facts = facts_;
    hardware_.tell(facts);
    return facts;
}

}  // namespace vfilter
