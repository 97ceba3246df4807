#include "io/codec/ranged/cpu_session.h"

#include <cerrno>
#include <utility>
#include <vector>

#include "io/compat.h"

namespace vfilter {

CpuSession::CpuSession(DecodingSetup setup, FramePool& pool, int threads)
    : setup_(std::move(setup)), pool_(pool), threads_(threads) {
    begin_run();
}

void CpuSession::begin_run() {
    run_.reset();  // its threads are gone before there are others
    run_ = std::make_unique<DecodingRun>(setup_, DecodingStart{}, pool_, threads_);
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
    told_doubts_ = 0;
    refused_ = 0;
}

void CpuSession::send(AVPacket* packet) {
    fresh_ = false;
    const int sent = run_->send(packet, sent_);
    sent_ += packet != nullptr ? 1 : 0;
    refused_ += sent < 0 && sent != AVERROR_EOF ? 1 : 0;
}

bool CpuSession::receive(DecodedPicture& next) {
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

void CpuSession::fill(DecodedPicture& next, FramePtr frame, int got) {
    // In one thread a packet is done with once it was sent; of several, all before the one whose picture comes out.
    const std::int64_t number = got >= 0 ? picture_number(*frame) : 0;
    const std::int64_t done = threads_ == 1 || got == AVERROR_EOF ? sent_ : number;
    const std::vector<std::int64_t> left_out = run_->left_out(done, got >= 0 ? frame.get() : nullptr);
    const Complaints& heard = run_->complaints();
    const std::int64_t doubts = heard.doubts();
    next = {};
    next.complaints = doubts - std::exchange(told_doubts_, doubts);
    next.complaint = heard.latest().empty() ? "the decoder makes up for what is missing" : heard.latest();
    next.refused = std::exchange(refused_, 0);
    next.left_out = static_cast<std::int64_t>(left_out.size());
    if (got < 0) {
        return;
    }
    frame->opaque = nullptr;
    const bool damaged = frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
    next.doubt = damaged ? "a damaged picture" : "";
    next.damaged = damaged;
    next.picture = std::move(frame);
}

}  // namespace vfilter
