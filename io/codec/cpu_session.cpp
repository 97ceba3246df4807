#include "io/codec/cpu_session.h"

#include <cerrno>
#include <utility>
#include <vector>

#include "io/compat.h"

namespace vfilter {

CpuSession::CpuSession(const Demuxer& input, int stream, FramePool& pool, int threads)
    : setup_(decoding_setup(input, stream)), pool_(pool), threads_(threads) {
    begin_run();
}

void CpuSession::begin_run() {
    run_.reset();  // its threads are gone before there are others
    run_ = std::make_unique<DecodingRun>(setup_, DecodingStart{}, pool_, threads_);
    if (threads_ == 1) {
        run_->patch(true);
    }
    fresh_ = true;
}

void CpuSession::begin(Entry /*entry*/, bool feeding_on) {
    if (feeding_on) {
        return;
    }
    if (!fresh_) {
        begin_run();
    }
    sent_ = 0;
    holes_.clear();
    told_complaints_ = 0;
    refused_ = 0;
}

void CpuSession::send(AVPacket* packet) {
    fresh_ = false;
    const int sent = run_->send(packet, sent_);
    sent_ += packet != nullptr ? 1 : 0;
    refused_ += sent < 0 && sent != AVERROR_EOF ? 1 : 0;
}

bool CpuSession::receive(RangePicture& next) {
    for (;;) {
        FramePtr frame = make_frame();
        const int got = run_->receive(*frame);
        if (got < 0 && got != AVERROR(EAGAIN) && got != AVERROR_EOF) {
            ++refused_;
            continue;
        }
        fill(next, std::move(frame), got);
        return got >= 0;
    }
}

void CpuSession::fill(RangePicture& next, FramePtr frame, int got) {
    // In one thread a packet is done with once it was sent; of several, all before the one whose picture comes out.
    const std::int64_t number = got >= 0 ? picture_number(*frame) : 0;
    const std::int64_t done = threads_ == 1 || got == AVERROR_EOF ? sent_ : number;
    const std::vector<std::int64_t> left_out = run_->left_out(done, got >= 0 ? frame.get() : nullptr);
    // What one thread mends is a reason for several to leave it to one.
    const Complaints& heard = run_->complaints();
    const std::int64_t complaints = threads_ == 1 ? heard.count() : heard.doubts();
    next = {};
    next.complaints = complaints - std::exchange(told_complaints_, complaints);
    if (threads_ == 1) {
        holes_.insert(left_out.begin(), left_out.end());
    } else {
        next.complaints += static_cast<std::int64_t>(left_out.size());
    }
    next.complaint = heard.latest().empty() ? "the decoder makes up for what is missing" : heard.latest();
    next.refused = std::exchange(refused_, 0);
    if (got < 0) {
        return;
    }
    if (holes_.erase(number) > 0) {
        frame->flags |= AV_FRAME_FLAG_CORRUPT;
    }
    frame->opaque = nullptr;
    const bool damaged = frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
    next.doubt = threads_ != 1 && damaged ? "a damaged picture" : "";
    next.picture = std::move(frame);
}

}  // namespace vfilter
