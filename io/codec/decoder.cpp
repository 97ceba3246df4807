#include "io/codec/decoder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "io/codec/picture_ledger.h"
#include "io/compat.h"
#include "io/formats/formats.h"

namespace vfilter {

bool has_independent_packets(const AVStream& stream) {
    const AVCodecDescriptor* const codec = avcodec_descriptor_get(stream.codecpar->codec_id);
    return stream.codecpar->codec_id == AV_CODEC_ID_WRAPPED_AVFRAME ||
           (codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0);
}

Decoder::Decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict)
    : pool_(pool),
      strict_(strict),
      threads_(threads),
      setup_(decoding_setup(input, stream)),
      times_(setup_.time_base, setup_.frame_rate),
      account_(*setup_.codec, setup_.time_base, input.start().has_value() || input.live(),
               judges_gaps(*input.format().iformat, input.live())),
      history_(*setup_.codec),
      repeatable_(!input.live()) {
    check_size(setup_.codec->width, setup_.codec->height, setup_.max_pixels);
    run_ = std::make_unique<DecodingRun>(setup_, DecodingStart{}, pool_, threads_);
    usual_threads_ = run_->threads();
    if (repeatable_) {
        anchor_ = Anchor{};
    }
}

void Decoder::note_damage(std::int64_t& count, const char* what) {
    if (!account_.settled()) {
        return;
    }
    ++count;
    damage_.note(fmt::format("video: a damaged {} {}", what, place()));
    if (strict_) {
        throw Error(ExitCode::damaged, fmt::format("a {} of the input is damaged, and --strict was given", what));
    }
}

// Errors that the decoder has logged since the last picture: some go on after them as if nothing had been.
void Decoder::note_complaints() {
    if (threaded_ && anchor_) {
        return;  // one that a thread has logged since goes_back() looked: decoding is about to go back
    }
    const std::int64_t now = run_->complaints().count();
    if (now == told_complaints_) {
        return;
    }
    if (account_.settled()) {
        damage_.complaints += now - told_complaints_;
        damage_.note(fmt::format("video {}: {}", place(), run_->complaints().latest()));
        if (strict_) {
            throw Error(ExitCode::damaged,
                        fmt::format("the video is damaged ({}), and --strict was given", run_->complaints().latest()));
        }
    }
    told_complaints_ = now;
}

std::string Decoder::complaint() const {
    const std::string latest = run_->complaints().latest();
    return latest.empty() ? last_complaint_ : latest;
}

Damage Decoder::damage() const {
    Damage damage = damage_;
    if (ended_) {
        damage += account_.missing();
    }
    return damage;
}

void Decoder::send(const AVPacket* packet) {
    if (packet == nullptr) {
        at_end_ = true;
    } else {
        history_.add(*packet);
    }
}

FramePtr Decoder::receive() {
    for (;;) {
        FramePtr frame = make_frame();
        const int got = run_->receive(*frame);
        const std::int64_t number = got >= 0 ? picture_number(*frame) : -1;
        const bool marked = std::exchange(marked_, false);
        const bool refused =
            std::exchange(refused_, false) || (got < 0 && got != AVERROR(EAGAIN) && got != AVERROR_EOF);
        const bool left_out = finds_left_out(got, *frame);
        const bool damaged = got >= 0 && (frame->decode_error_flags != 0 ||
                                          (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || holes_.contains(number));
        if (goes_back(refused || marked || left_out || (damaged && number > whole_to_))) {
            continue;
        }
        if (refused && fed() > whole_to_) {
            note_damage(damage_.packets, "packet");
        }
        if (got >= 0) {
            check_size(frame->width, frame->height, setup_.max_pixels);
            if (is_repeated(number)) {
                std::erase(begins_, number);
                continue;
            }
            account_to(number >= 0 ? std::min(number, fed()) : fed());
            const bool early = !account_.received(frame->pts, is_interlaced(*frame), is_key_frame(*frame));
            note_complaints();
            finish(*frame);
            frame->opaque = nullptr;
            handed_on(number);
            if (damaged && !early) {
                note_damage(damage_.frames, "frame");
            }
            return frame;
        }
        if (got == AVERROR_EOF) {
            account_to(history_.end() - 1);
            if (!std::exchange(ended_, true)) {
                note_complaints();
            }
            return nullptr;
        }
        if (got != AVERROR(EAGAIN)) {
            continue;
        }
        goes_on_in_threads();
        if ((history_.next() == nullptr && (!at_end_ || drained_)) || (look_ && !look_())) {
            return nullptr;
        }
        feed();
    }
}

// Whether the decoder has left out parts of pictures without a word. In one thread a packet is done with once it was
// sent; of threads, all before the one whose picture comes out (it may hold further ones), and at the end everything.
bool Decoder::finds_left_out(int got, const AVFrame& picture) {
    const std::int64_t end = !threaded_ || got == AVERROR_EOF ? history_.place()
                             : got >= 0                       ? picture_number(picture)
                                                              : 0;
    const std::size_t before = holes_.size();
    for (const std::int64_t left : run_->left_out(end, got >= 0 ? &picture : nullptr)) {
        if (left > whole_to_) {
            holes_.insert(left);
        }
    }
    return holes_.size() > before;
}

// The next packet, or the end.
void Decoder::feed() {
    PacketHistory::Entry* const entry = history_.next();
    if (entry == nullptr) {
        drained_ = true;
        run_->send(nullptr, 0);
        return;
    }
    if (!threaded_) {  // else libavcodec's threads read it meanwhile
        run_->patch(repeatable_ && entry->number > whole_to_);
    }
    const int sent = run_->send(entry->packet.get(), entry->number);
    if (entry->begins && repeatable_) {
        begins_.push_back(entry->number);
    }
    // Decode on after an error: the next key frame mends it.
    refused_ = sent < 0 && sent != AVERROR_EOF;
    marked_ = (entry->packet->flags & AV_PKT_FLAG_CORRUPT) != 0;
    history_.step();
    if (!threaded_ || !anchor_) {
        account_to(fed());
    }
    forget();
}

// Another run takes the work over, from the anchor on.
void Decoder::begin(bool threaded, const Anchor& anchor, std::int64_t whole_to) {
    spdlog::debug("video {}: decoding from packet {} on in {}", place(), anchor.number,
                  threaded ? "threads" : "one thread");
    last_complaint_ = complaint();
    threaded_ = threaded;
    begun_ = anchor;
    whole_to_ = whole_to;
    doubts_ = 0;
    told_complaints_ = 0;
    found_ = anchor.first;
    to_skip_ = pictures_ - anchor.handed_on;
    refused_ = false;
    marked_ = false;
    drained_ = false;
    rest_.reset();
    begins_.clear();
    holes_.clear();
    history_.go_back(anchor.number);
    run_.reset();  // its threads are gone before there are others
    run_ = std::make_unique<DecodingRun>(setup_, anchor.start, pool_, threaded ? threads_ : 1);
}

// Whether a fault, seen or heard of, makes decoding begin again before it. Where it does not, it is known from now on.
bool Decoder::goes_back(bool fault) {
    const std::int64_t doubts = run_->complaints().doubts();
    if (whole_to_ >= 0 && fed() <= whole_to_) {
        doubts_ = doubts;
        told_complaints_ = run_->complaints().count();
        return false;
    }
    if (!fault && doubts == doubts_) {
        return false;
    }
    if (anchor_ && (threaded_ || anchor_->number > begun_.number)) {
        ++times_repeated_;
        begin(false, Anchor(*anchor_), std::max(whole_to_, newest_));
        return true;
    }
    doubts_ = doubts;
    faulty_ = fed();
    rest_.reset();
    return false;
}

// Back to threads once a whole random-access point is so far behind that what a run complains of only because it
// begins there is said before it comes to packets of which nothing is known.
void Decoder::goes_on_in_threads() {
    constexpr std::int64_t reordered = 8;
    if (!threaded_ && rest_ && !at_end_ && fed() - rest_->number >= usual_threads_ + reordered) {
        begin(true, Anchor(*rest_), fed());
    }
}

// Whether a picture was handed on by a run before this one. What comes out before the anchor's own picture was, too.
bool Decoder::is_repeated(std::int64_t number) {
    if (!found_ && number != begun_.number && number <= whole_to_) {
        return true;
    }
    found_ = true;
    if (to_skip_ > 0) {
        --to_skip_;
        return true;
    }
    return false;
}

void Decoder::handed_on(std::int64_t number) {
    newest_ = std::max(newest_, number);
    const auto found = std::ranges::find(begins_, number);
    if (found != begins_.end()) {
        begins_.erase(begins_.begin(), found + 1);
        if (number > faulty_ && number >= history_.first()) {
            anchor_ = Anchor{number, pictures_, false, {history_[number].extradata, run_->delay()}};
            if (!threaded_ && !rest_) {
                rest_ = anchor_;
            }
        }
    }
    ++pictures_;
    holes_.erase(number);
    while (holes_.size() > max_kept) {
        holes_.erase(holes_.begin());  // of pictures that are never shown
    }
}

// Packets that will not be decoded again.
void Decoder::forget() {
    constexpr auto limit = static_cast<std::int64_t>(max_kept);
    while (!begins_.empty() && (begins_.front() <= faulty_ || fed() - begins_.front() > limit)) {
        begins_.pop_front();
    }
    if (threaded_ && anchor_ && (fed() - anchor_->number > limit || history_.bytes() > max_kept_bytes)) {
        spdlog::debug("video {}: no random-access point for long, damage will be decoded as it comes", place());
        anchor_.reset();
        account_to(fed());
    }
    const std::optional<Anchor>& kept = threaded_ ? anchor_ : rest_;
    const std::int64_t wanted = kept ? kept->number : begins_.empty() ? history_.place() : begins_.front();
    history_.forget_before(std::min(accounted_, wanted));
}

void Decoder::account_to(std::int64_t number) {
    for (; accounted_ <= number; ++accounted_) {
        account_.sent(*history_[accounted_].packet);
    }
}

void Decoder::finish(AVFrame& frame) {
    if (const auto format = static_cast<AVPixelFormat>(frame.format); without_j(format) != format) {
        frame.format = without_j(format);
        frame.color_range = AVCOL_RANGE_JPEG;
    }
    times_.date(frame);
}

}  // namespace vfilter
