#include "io/codec/ranged/range_attempt.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace vfilter {

namespace {

constexpr const char* hole = "the decoder leaves out a part of a picture";

// Why a picture may not be what it should be.
std::string doubt_of(const DecodedPicture& next, RangePlace place) {
    return next.left_out > 0 ? hole : place == RangePlace::before ? "" : next.doubt;
}

}  // namespace

RangeAttempt::RangeAttempt(RangeQueue& queue, PacketRange& range, Made made, AVCodecID codec)
    : queue_(queue),
      range_(range),
      made_(made),
      // HEVC's leading pictures are named as such, and left out without a word.
      settled_(range.start().entry != Entry::open || codec == AV_CODEC_ID_HEVC) {}

std::string RangeAttempt::sends(const AVPacket& packet) {
    if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0) {
        std::string why = "a packet is marked as damaged";
        if (!lets_pass(why)) {
            return why;
        }
    }
    latest_before_.emplace(packet.pts, latest_sent_);
    latest_sent_ = std::max(latest_sent_, packet.pts);
    return "";
}

// Whether a fault is taken as it comes.
bool RangeAttempt::lets_pass(const std::string& why) {
    if (!as_it_comes_ && queue_.state(range_).is_gone()) {
        as_it_comes_ = true;
        spdlog::info("a part of the video is too long to be decoded again; its damage stays as it comes: {}", why);
    }
    return as_it_comes_;
}

std::string RangeAttempt::hear(DecodedPicture next) {
    std::string why = next.left_out > 0 ? hole : next.said();
    if (why.empty()) {
        return "";
    }
    if (!settled_ && next.left_out == 0) {
        early_ = std::move(why);
        return "";
    }
    if (!lets_pass(why)) {
        return why;
    }
    next.complaints += next.left_out;
    next.complaint = next.complaint.empty() ? hole : next.complaint;
    queue_.deliver(range_, std::move(next), made_);
    return "";
}

std::string RangeAttempt::take(DecodedPicture next) {
    const RangePlace place = queue_.state(range_).place_of(next.picture->pts);
    const bool inside = place == RangePlace::inside;
    // The next range's first picture is one on which the last ones of this lean.
    std::string why = inside ? fault_of(next) : doubt_of(next, place);
    const bool usable = !inside || next.doubt.empty() || next.damaged;
    if (!why.empty() && (!usable || !lets_pass(why))) {
        if (queue_.state(range_).is_gone()) {
            release(true);
        }
        return why;
    }
    if (inside) {
        keep(std::move(next));
    }
    return "";
}

// Why a picture of the range may not be what it should be, together with all that is said.
std::string RangeAttempt::fault_of(const DecodedPicture& next) {
    if (std::string doubt = doubt_of(next, RangePlace::inside); !doubt.empty()) {
        return doubt;
    }
    if (settled_ && !next.said().empty()) {
        return next.said();
    }
    early_ = next.said().empty() ? early_ : next.said();
    if (!early_.empty() && queue_.state(range_).begins_whole()) {
        return early_;
    }
    return last_ != AV_NOPTS_VALUE && next.picture->pts <= last_ ? "pictures came out of order" : "";
}

void RangeAttempt::keep(DecodedPicture next) {
    if (!next.doubt.empty() || next.left_out > 0) {
        next.picture->flags |= AV_FRAME_FLAG_CORRUPT;
    }
    if (!settled_) {
        next.complaints = 0;
        next.refused = 0;
        settled_ = true;
        early_.clear();
    }
    ++pictures_;
    last_ = std::max(last_, next.picture->pts);
    held_.push_back(std::move(next));
    release(false);
}

// Hands on what waits, as far as nothing before it in the order of decoding is still to come. A time that no picture
// has does not make all others wait: no encoder shows more pictures before one that they lean on.
void RangeAttempt::release(bool all) {
    constexpr std::size_t most = 32;
    while (!held_.empty()) {
        const std::int64_t pts = held_.front().picture->pts;
        const auto place = latest_before_.find(pts);
        const bool early = place != latest_before_.end() && place->second > last_;
        if (early && !all && held_.size() <= most) {
            return;
        }
        latest_before_.erase(latest_before_.begin(), latest_before_.upper_bound(pts));
        DecodedPicture next = std::move(held_.front());
        held_.pop_front();
        queue_.deliver(range_, std::move(next), made_);
    }
}

std::string RangeAttempt::end(std::string why) {
    why = why.empty() ? count() : why;
    if (!why.empty() && !lets_pass(why)) {
        return why;
    }
    release(true);
    queue_.note_entry(range_, true);
    return "";
}

std::string RangeAttempt::count() const {
    const RangeState state = queue_.state(range_);
    const std::int64_t missing = state.expected - pictures_;
    if (missing == 0 || (missing > 0 && missing <= state.leading)) {
        return "";
    }
    return fmt::format("{} pictures came of {} packets", pictures_, state.expected);
}

}  // namespace vfilter
