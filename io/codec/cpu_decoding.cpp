#include "io/codec/cpu_decoding.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "io/compat.h"

namespace vfilter {

CpuDecoding::CpuDecoding(DecodingSetup setup, FramePool& pool, int threads, std::int64_t lead)
    : pool_(pool),
      threads_(threads),
      setup_(std::move(setup)),
      lead_(lead),
      history_(*setup_.codec),
      repeatable_(!setup_.live),
      enters_whole_(lead == 0) {
    run_ = std::make_unique<DecodingRun>(setup_, DecodingStart{}, pool_, threads_);
    if (repeatable_) {
        anchor_ = Anchor{};
    }
}

std::string CpuDecoding::complaint() const {
    const std::string latest = run_->complaints().latest();
    return latest.empty() ? last_complaint_ : latest;
}

void CpuDecoding::send(const AVPacket* packet) {
    if (packet == nullptr) {
        at_end_ = true;
    } else {
        history_.add(*packet);
    }
}

bool CpuDecoding::receive(DecodedPicture& next) {
    next = {};
    for (;;) {
        FramePtr frame = make_frame();
        const int got = run_->receive(*frame);
        const std::int64_t number = got >= 0 ? picture_number(*frame) : -1;
        const bool marked = std::exchange(marked_, false);
        const bool refused =
            std::exchange(refused_, false) || (got < 0 && got != AVERROR(EAGAIN) && got != AVERROR_EOF);
        const std::int64_t left_out = finds_left_out(got, *frame);
        const bool damaged = got >= 0 && is_damaged(*frame, number);
        if (fed() < lead_) {
            told_complaints_ = run_->complaints().count();
        }
        const std::int64_t fault = std::max({refused || marked ? fed() : -1, left_out, damaged ? number : -1});
        if (goes_back(fault)) {
            continue;
        }
        if (refused && fed() > whole_to_ && fed() >= lead_) {
            ++(awaited_ >= 0 ? held_back_ : told_off_);
        }
        if (got >= 0) {
            if (is_repeated(number)) {
                std::erase(begins_, number);
                continue;
            }
            if (rests(number)) {
                continue;
            }
            hand_on(std::move(frame), number, next);
            return true;
        }
        if (got == AVERROR_EOF && std::exchange(ends_group_, false)) {
            run_->begin_anew();
            continue;
        }
        if (got == AVERROR_EOF) {
            if (goes_on_in_threads(true)) {
                continue;
            }
            stop_waiting();
            know(history_.end() - 1);
            if (!std::exchange(ended_, true)) {
                tell(next);
            }
            return false;
        }
        if (got != AVERROR(EAGAIN)) {
            continue;
        }
        if (ends_group_ || goes_on_in_threads(false)) {
            continue;
        }
        if ((history_.next() == nullptr && (!at_end_ || drained_)) || (look_ && !look_(true))) {
            next.refused = std::exchange(told_off_, 0);
            return false;
        }
        feed();
    }
}

bool CpuDecoding::is_damaged(const AVFrame& picture, std::int64_t number) const {
    return picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0 || holes_.contains(number);
}

void CpuDecoding::hand_on(FramePtr picture, std::int64_t number, DecodedPicture& next) {
    know(number >= 0 ? std::min(number, fed()) : fed());
    tell(next);
    if (holes_.contains(number)) {
        picture->flags |= AV_FRAME_FLAG_CORRUPT;
    }
    picture->opaque = nullptr;
    handed_on(number);
    next.number = number;
    next.picture = std::move(picture);
}

DecodedPicture CpuDecoding::said() {
    DecodedPicture said;
    tell(said);
    return said;
}

// Errors that the decoder has logged since the last picture: some go on after them as if nothing had been.
void CpuDecoding::tell(DecodedPicture& next) {
    next.refused = std::exchange(told_off_, 0);
    next.complaints = std::exchange(carried_, 0);
    next.complaint = last_complaint_;
    if ((threaded_ && anchor_) || awaited_ >= 0) {
        return;  // one that a thread has logged since goes_back() looked: decoding is about to go back
    }
    const Complaints& heard = run_->complaints();
    const std::int64_t complaints = heard.count();
    const std::int64_t more = complaints - std::exchange(told_complaints_, complaints);
    next.complaints += more;
    next.complaint = more > 0 ? heard.latest() : complaint();
}

// The last packet of whose picture the decoder has left out parts without a word, or -1. In one thread a packet is done
// with once it was sent; of threads, all before the one whose picture comes out (it may hold further ones), and at the
// end everything.
std::int64_t CpuDecoding::finds_left_out(int got, const AVFrame& picture) {
    const std::int64_t end = !threaded_ || got == AVERROR_EOF ? history_.place()
                             : got >= 0                       ? picture_number(picture)
                                                              : 0;
    std::int64_t last = -1;
    for (const std::int64_t left : run_->left_out(end, got >= 0 ? &picture : nullptr)) {
        if (left > whole_to_) {
            holes_.insert(left);
            last = std::max(last, left);
        }
    }
    return last;
}

// The next packet, or the end.
void CpuDecoding::feed() {
    PacketHistory::Entry* const entry = history_.next();
    if (entry == nullptr) {
        drained_ = true;
        run_->send(nullptr, 0);
        return;
    }
    if (run_->ends_before(*entry->packet)) {
        ends_group_ = true;
        run_->send(nullptr, 0);
        return;
    }
    if (!threaded_) {  // else libavcodec's threads read it meanwhile
        run_->patch(repeatable_ && entry->number > whole_to_);
    }
    AVPacket* const packet = entry->number == begun_.number ? entry->start.get() : entry->packet.get();
    const int sent = run_->send(packet, entry->number);
    if (entry->begins && repeatable_) {
        begins_.push_back(entry->number);
    }
    // Decode on after an error: the next key frame mends it.
    refused_ = sent < 0 && sent != AVERROR_EOF;
    // A stream that begins with what leans on nothing: some decoders take what is in memory for it, without a word.
    const bool lacks_key = entry->number == 0 && (entry->packet->flags & AV_PKT_FLAG_KEY) == 0 &&
                           setup_.codec->codec_id != AV_CODEC_ID_H261;  // which does not tell
    marked_ = lacks_key || (entry->packet->flags & AV_PKT_FLAG_CORRUPT) != 0;
    history_.step();
    if (!threaded_ || !anchor_) {
        know(fed());
    }
    forget();
}

// Another run takes the work over, from the anchor on.
void CpuDecoding::begin(bool threaded, const Anchor& anchor, std::int64_t whole_to) {
    spdlog::debug("decoding from packet {} on in {}", anchor.number, threaded ? "threads" : "one thread");
    last_complaint_ = complaint();
    threaded_ = threaded;
    begun_ = anchor;
    whole_to_ = anchor.first ? whole_to : std::max(whole_to, anchor.number);
    doubts_ = 0;
    told_complaints_ = 0;
    found_ = anchor.first;
    repeated_ = given_;
    refused_ = false;
    marked_ = false;
    drained_ = false;
    ends_group_ = false;
    awaited_ = -1;
    held_back_ = 0;
    rest_.reset();
    begins_.clear();
    holes_.clear();
    history_.go_back(anchor.number);
    run_.reset();  // its threads are gone before there are others
    run_ = std::make_unique<DecodingRun>(setup_, anchor.start, pool_, threaded ? threads_ : 1);
}

// Whether a fault makes decoding begin again before it: one that was seen of a packet, -1 for none, or is heard of.
// Where it does not, it is known from now on.
bool CpuDecoding::goes_back(std::int64_t fault) {
    const std::int64_t doubts = run_->complaints().doubts();
    if (whole_to_ >= 0 && fed() <= whole_to_) {
        doubts_ = doubts;
        told_complaints_ = run_->complaints().count();
        return false;
    }
    if (fault <= whole_to_ && doubts == doubts_) {
        return false;
    }
    if (anchor_ && (threaded_ || anchor_->number > begun_.number)) {
        ++times_repeated_;
        begin(false, Anchor(*anchor_), std::max(whole_to_, newest_));
        return true;
    }
    if (std::exchange(doubts_, doubts) != doubts) {
        fault = fed();
    }
    if (!threaded_ && awaits_anchor(fault)) {
        return false;
    }
    stop_waiting();
    faulty_ = std::max(faulty_, fault);
    return false;
}

// Whether decoding goes back as soon as a random-access point's picture comes out, which is behind the run's beginning
// and before the fault, and what is shown before it has come. Threads may be past it when they hear of the fault, and
// bytes must not depend on that.
bool CpuDecoding::awaits_anchor(std::int64_t fault) {
    const auto found = std::find_if(begins_.rbegin(), begins_.rend(), [&](std::int64_t number) {
        return number < fault && number > faulty_ && number > begun_.number;
    });
    if (found != begins_.rend()) {
        awaited_ = std::max(awaited_, *found);
    }
    return found != begins_.rend();
}

// It does not come, or not whole.
void CpuDecoding::stop_waiting() {
    if (std::exchange(awaited_, -1) >= 0) {
        told_off_ += std::exchange(held_back_, 0);
        faulty_ = fed();
    }
}

// Whether one thread only looks on, as a whole random-access point is behind it: from there on another run makes the
// pictures, as this one may still have something of the damage in mind.
bool CpuDecoding::rests(std::int64_t number) {
    if (threaded_ || rest_) {
        return rest_.has_value();
    }
    if (number > begun_.number && makes_anchor(number)) {
        rest_ = anchor_;
        // Of packets before it, of which no picture came to say it with; the next run does not decode them.
        carried_ += run_->complaints().count() - std::exchange(told_complaints_, run_->complaints().count());
        if (awaited_ >= 0) {
            ++times_repeated_;
            begin(false, Anchor(*anchor_), std::max(whole_to_, newest_));
            return true;
        }
    }
    return rest_.has_value();
}

// To threads once that point is so far behind that what a run complains of only because it begins there is said before
// it comes to packets of which nothing is known. That many, whatever the threads are, as bytes must not depend on them.
bool CpuDecoding::goes_on_in_threads(bool at_end) {
    constexpr std::int64_t reordered = 8;
    constexpr std::int64_t usual_threads = 16;
    if (!rest_ || (!at_end && fed() - rest_->number < std::max<std::int64_t>(threads_, usual_threads) + reordered)) {
        return false;
    }
    begin(true, Anchor(*rest_), fed());
    return true;
}

// Whether a picture was handed on by a run before this one. What comes out before the anchor's own picture was, too, or
// leans on what this run has not seen.
bool CpuDecoding::is_repeated(std::int64_t number) {
    const auto found = repeated_.find(number);
    if (found != repeated_.end()) {
        repeated_.erase(found);
        found_ = found_ || number == begun_.number;
        return true;
    }
    if (!found_ && number != begun_.number && number <= whole_to_) {
        return true;
    }
    found_ = true;
    return false;
}

// Whether decoding may go back to the packet of a picture that has come out.
bool CpuDecoding::makes_anchor(std::int64_t number) {
    const auto found = std::ranges::find(begins_, number);
    if (found == begins_.end()) {
        return false;
    }
    begins_.erase(begins_.begin(), found + 1);
    if (number <= faulty_ || number < history_.first()) {
        return false;
    }
    anchor_ = Anchor{number, false, {history_[number].extradata, run_->delay(), true}};
    enters_whole_ = enters_whole_ || number == lead_;
    return true;
}

void CpuDecoding::handed_on(std::int64_t number) {
    newest_ = std::max(newest_, number);
    makes_anchor(number);
    given_.insert(number);
    holes_.erase(number);
    while (holes_.size() > max_kept) {
        holes_.erase(holes_.begin());  // of pictures that are never shown
    }
}

// Packets that will not be decoded again.
void CpuDecoding::forget() {
    constexpr auto limit = static_cast<std::int64_t>(max_kept);
    while (!begins_.empty() && (begins_.front() <= faulty_ || fed() - begins_.front() > limit)) {
        begins_.pop_front();
    }
    if (threaded_ && anchor_ && (fed() - anchor_->number > limit || history_.bytes() > max_kept_bytes)) {
        spdlog::debug("no random-access point for long before packet {}, damage will be decoded as it comes", fed());
        anchor_.reset();
        know(fed());
    }
    const std::optional<Anchor>& kept = threaded_ ? anchor_ : rest_;
    const std::int64_t wanted = kept ? kept->number : begins_.empty() ? history_.place() : begins_.front();
    history_.forget_before(wanted);
    given_.erase(given_.begin(), given_.lower_bound(history_.first()));
}

}  // namespace vfilter
