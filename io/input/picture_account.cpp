#include "io/input/picture_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "io/bitstream/vp9_header.h"
#include "io/demuxers.h"
#include "io/input/layers/lone_holes.h"

namespace vfilter {

namespace {

// Codecs of which every packet is one picture that is shown, besides those of which every picture is a key frame. VP9's
// hidden pictures travel in the packet of the one that is shown (superframes), as those of AV1 do (temporal units).
constexpr std::array one_for_one{
    AV_CODEC_ID_H264,       AV_CODEC_ID_HEVC,       AV_CODEC_ID_VP8,   AV_CODEC_ID_VP9,      AV_CODEC_ID_AV1,
    AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263,     AV_CODEC_ID_FLV1,
    AV_CODEC_ID_THEORA,     AV_CODEC_ID_MSMPEG4V3,  AV_CODEC_ID_WMV1,  AV_CODEC_ID_WMV2,     AV_CODEC_ID_GIF,
    AV_CODEC_ID_FFV1,       AV_CODEC_ID_H261,       AV_CODEC_ID_APNG,  AV_CODEC_ID_MSMPEG4V2};

// Of these a picture that comes before the first key frame is made of nothing.
constexpr std::array need_key{AV_CODEC_ID_THEORA, AV_CODEC_ID_VP8,  AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
                              AV_CODEC_ID_FLV1,   AV_CODEC_ID_WMV2, AV_CODEC_ID_VP6, AV_CODEC_ID_VP6F};

// The two fields of a picture may be packets of their own, but of these it is known which: those of MPEG-2 are put
// together by FFmpeg's parser, those of H.264 are told apart, and PNG, which has none, is called interlaced for an
// order of its pixels.
constexpr std::array known_fields{AV_CODEC_ID_H264, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_PNG, AV_CODEC_ID_APNG};

constexpr std::size_t max_intervals = 64;
constexpr std::size_t max_longest_gaps = 16;
constexpr std::int64_t min_intervals = 12;
constexpr double jump = static_cast<double>(min_set_clock) / AV_TIME_BASE;  // seconds
constexpr int max_mark_size = 20;         // bytes of an MPEG-4 packet that says only that nothing changes
constexpr std::uint8_t vp8_shown = 0x10;  // show_frame of its frame header (RFC 6386, 9.1)
// Pictures at both ends of which a hole says nothing: where a stream was cut by copy, some that belong between those
// that are there were left on the other side.
constexpr std::int64_t edge = 16;
// Where files were put together their sound may be longer than their pictures: so many may seem to be missing there.
constexpr std::int64_t seam = 2;

bool counts_pictures(AVCodecID id) {
    const AVCodecDescriptor* const codec = avcodec_descriptor_get(id);
    return (codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0) ||
           std::ranges::find(one_for_one, id) != one_for_one.end();
}

// A hidden picture that travels alone. The last byte of a superframe says that it is one (VP9 bitstream specification,
// annex B).
bool is_hidden_vp9(const AVPacket& packet) {
    if ((packet.data[packet.size - 1] & 0xE0) == 0xC0) {
        return false;
    }
    const std::optional<Vp9Header> header = vp9_header(packet.data[0]);
    return header && !header->shows_earlier && !header->shown;
}

std::string plural(std::int64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

bool shows_picture(AVCodecID codec, const AVPacket& packet) {
    if ((packet.flags & AV_PKT_FLAG_DISCARD) != 0 || packet.size <= 0) {
        return false;
    }
    return !(codec == AV_CODEC_ID_VP8 && (packet.data[0] & vp8_shown) == 0) &&
           !(codec == AV_CODEC_ID_VP9 && is_hidden_vp9(packet)) &&
           !(codec == AV_CODEC_ID_MPEG4 && packet.size <= max_mark_size);
}

bool judges_gaps(const AVInputFormat& container, bool live) {
    return !live && (container.flags & AVFMT_NOTIMESTAMPS) == 0 && !demuxer_facts(container).has(input_fact::no_gaps);
}

PictureAccount::PictureAccount(const AVCodecParameters& codec, AVRational time_base, bool begins_anywhere, bool gaps)
    : codec_(codec.codec_id),
      fields_(codec),
      time_base_(time_base),
      counts_(counts_pictures(codec.codec_id)),
      begins_anywhere_(begins_anywhere),
      // In Theora a picture that repeats the one before is an empty packet, which copies leave out.
      gaps_(gaps && codec.codec_id != AV_CODEC_ID_THEORA) {}

void PictureAccount::sent(const AVPacket& packet) {
    const bool key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
    long_holes_ += is_behind_hole(packet) ? 1 : 0;
    if ((packet.flags & AV_PKT_FLAG_DISCARD) != 0) {
        note_hidden(packet, key);
        return;
    }
    if (!shows_picture(codec_, packet)) {
        ++marks_;
        return;
    }
    if (fields_.completes(packet)) {
        return;
    }
    if (!key_) {
        if (!key) {
            ++before_key_;
            return;
        }
        key_ = packet.pts;
    } else if (key) {
        first_group_ = false;
    }
    if (first_group_ && !key && packet.pts != AV_NOPTS_VALUE && *key_ != AV_NOPTS_VALUE && packet.pts < *key_) {
        ++leading_;
        return;
    }
    if ((leading_ > 0 || hidden_leading_) && !settle_) {
        settle_ = packet.pts;
    }
    ++sent_;
}

// Packets that an edit list hides: a cut begins with the key frame before it, and of an open group those that lean on
// what was cut off.
void PictureAccount::note_hidden(const AVPacket& packet, bool key) {
    if (key) {
        hidden_key_ = packet.pts;
    } else if (hidden_key_ != AV_NOPTS_VALUE && packet.pts != AV_NOPTS_VALUE && packet.pts < hidden_key_) {
        hidden_leading_ = true;
    }
}

bool PictureAccount::received(const Picture& picture) {
    interlaced_ = interlaced_ || picture.interlaced;
    const bool timed = picture.pts != AV_NOPTS_VALUE && key_ && *key_ != AV_NOPTS_VALUE;
    if (received_ == 0 && (!key_ || (timed && picture.pts < *key_))) {
        ++early_;
        return false;
    }
    ++received_;
    note_interval(picture.pts, picture.key);
    return true;
}

bool PictureAccount::settled() const {
    if (begins_anywhere_ && received_ < edge) {
        return false;  // it was sought, and what the first pictures lean on lies before
    }
    return (leading_ == 0 && !hidden_leading_) || (settle_ && last_ != AV_NOPTS_VALUE && last_ >= *settle_);
}

void PictureAccount::note_interval(std::int64_t pts, bool key) {
    if (pts == AV_NOPTS_VALUE) {
        ++undated_;
        return;
    }
    if (last_ != AV_NOPTS_VALUE && gaps_) {
        const std::int64_t length = pts - last_;
        const std::int64_t each = length / (undated_ + 1);
        if (intervals_.contains(each) || intervals_.size() < max_intervals) {
            ++intervals_[each];
        } else {
            ++other_intervals_;
        }
        const bool far = seconds(length) >= jump;
        if (far && long_holes_ == 0) {
            jumped_ += length;  // a clock that was set, and no hole
        } else {
            long_holes_ -= far ? 1 : 0;
            const auto place = std::ranges::lower_bound(longest_, length, std::ranges::greater{}, &Gap::length);
            if (place != longest_.end() || longest_.size() < max_longest_gaps) {
                longest_.insert(place, Gap{last_, length, undated_, received_ - 1, key});
                longest_.resize(std::min(longest_.size(), max_longest_gaps));
            }
        }
    }
    first_ = first_ == AV_NOPTS_VALUE ? pts : first_;
    dated_ += last_ == AV_NOPTS_VALUE ? 1 : undated_ + 1;
    undated_ = 0;
    // Behind damage a decoder may give pictures out of order: what lies between them is missing once.
    const bool back = last_ != AV_NOPTS_VALUE && pts < last_ && seconds(last_ - pts) < jump;
    last_ = back ? last_ : pts;
}

// Only where nearly all pictures are equally far apart and few are missing: recorders and screen captures that leave
// out what did not change have many holes, or many distances.
void PictureAccount::judge_gaps(Damage& damage) const {
    constexpr double usual_share = 0.02;  // of other distances
    constexpr double gap_share = 0.04;
    constexpr double gap_from = 1.7;  // of the usual distance
    const auto usual = std::ranges::max_element(intervals_, {}, [](const auto& row) { return row.second; });
    if (usual == intervals_.end() || usual->first <= 0) {
        return;
    }
    const std::int64_t step = usual->first;
    const std::int64_t slack = std::max<std::int64_t>(1, step / 50);  // clocks of milliseconds
    const auto is_gap = [&](std::int64_t length) {
        return static_cast<double>(length) >= gap_from * static_cast<double>(step) && length - step > slack;
    };
    std::int64_t all = other_intervals_;
    std::int64_t others = other_intervals_;
    std::int64_t gaps = 0;
    for (const auto& [length, count] : intervals_) {
        all += count;
        const bool gap = is_gap(length);
        gaps += gap ? count : 0;
        others += !gap && std::abs(length - step) > slack ? count : 0;
    }
    const auto share = [&](double part) {
        return std::max<std::int64_t>(1, std::llround(part * static_cast<double>(all)));
    };
    if (all < min_intervals || others > share(usual_share) || gaps > share(gap_share)) {
        return;
    }
    // A picture whose time is wrong leaves a hole, too, but none is missing by the whole span.
    const auto steps = [&](std::int64_t length) {
        return std::llround(static_cast<double>(length) / static_cast<double>(step));
    };
    const std::int64_t by_span = steps(last_ - first_ - jumped_) + 1 - dated_;
    std::int64_t pictures = 0;
    for (const Gap& gap : longest_) {
        const std::int64_t missing = steps(gap.length) - 1 - gap.inside;
        if (!is_gap(gap.length) || missing <= 0 || by_span <= 0 || gap.pictures_before < edge ||
            received_ - gap.pictures_before < edge) {
            continue;
        }
        if (gap.before_key && missing <= seam) {
            continue;
        }
        pictures += missing;
        damage.note(fmt::format("video: {} missing after {:.3f} s, where the timestamps have a hole",
                                plural(missing, "picture"), seconds(gap.from)));
    }
    damage.holes = std::max<std::int64_t>(0, std::min(pictures, by_span) - marks_);
}

Damage PictureAccount::missing() const {
    Damage damage;
    if (begins_anywhere_) {
        judge_gaps(damage);
        return damage;
    }
    const bool helpless = std::ranges::find(need_key, codec_) != need_key.end();
    if (key_ && before_key_ > (helpless ? 0 : early_)) {
        damage.pictures += before_key_ - (helpless ? 0 : early_);
        damage.note(fmt::format("video: {} before the first key frame, of which no picture can be made",
                                plural(before_key_, "packet")));
    }
    if (counts_ && sent_ > received_ &&
        (!interlaced_ || std::ranges::find(known_fields, codec_) != known_fields.end())) {
        const std::int64_t lone = fields_.lone();
        damage.pictures += sent_ - received_;
        damage.note(fmt::format("video: {} gave only {}{}", plural(sent_, fields_.any() ? "coded picture" : "packet"),
                                plural(received_, "picture"),
                                lone > 0 ? fmt::format("; {} of one field without the other", lone) : ""));
    }
    judge_gaps(damage);
    return damage;
}

}  // namespace vfilter
