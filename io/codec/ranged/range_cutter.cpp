#include "io/codec/ranged/range_cutter.h"

#include <algorithm>

namespace vfilter {

namespace {

// More pictures lean on both sides of an entry in no stream that is whole.
constexpr int max_leading = 64;

}  // namespace

RangeCutter::RangeCutter(const AVCodecParameters& codec)
    : packets_(codec),
      access_(codec),
      // A range's end has its price: the pictures that the decoder holds back are waited for, and before an open one of
      // H.264 the hardware's decoder is made anew, which takes as long as 40 pictures.
      shortest_open_(codec.codec_id == AV_CODEC_ID_H264 ? 240 : 24) {}

bool RangeCutter::may_cut(const AVPacket& packet, Entry entry) const {
    const std::int64_t least = entry == Entry::open ? shortest_open_ : shortest;
    return entry != Entry::none && length_ >= least && !before_is_open_ && packet.pts != AV_NOPTS_VALUE &&
           (latest_ == AV_NOPTS_VALUE || packet.pts > latest_);
}

Cut RangeCutter::next(const AVPacket& packet) {
    Cut cut;
    cut.packet = packets_.next(packet);
    cut.laden = packets_.laden();
    const Entry entry = access_.read(packet);
    cut.untimed = packet.pts == AV_NOPTS_VALUE;
    cut.begins = !begun_ || may_cut(packet, entry);
    if (cut.begins) {
        cut.entry = entry;
        cut.start = access_.as_first(*cut.packet, packets_.front());
        cut.bare = packets_.bare();
        cut.also_before = begun_ && entry == Entry::open;
        cut.ends_before = begun_ && !cut.also_before;
        before_is_open_ = cut.also_before;
        open_entry_ = entry == Entry::open ? packet.pts : AV_NOPTS_VALUE;
        before_entry_ = latest_;
        begun_ = true;
        length_ = 0;
        leading_ = 0;
    } else {
        cut.leads =
            entry == Entry::none && packet.pts < open_entry_ && packet.pts > before_entry_ && ++leading_ <= max_leading;
        if (!cut.leads) {
            open_entry_ = AV_NOPTS_VALUE;  // the least there is
        }
        cut.also_before = before_is_open_ && cut.leads;
        cut.ends_before = before_is_open_ && !cut.leads;
        before_is_open_ = cut.also_before;
    }
    ++length_;
    latest_ = std::max(latest_, packet.pts);  // AV_NOPTS_VALUE is the least there is
    return cut;
}

}  // namespace vfilter
