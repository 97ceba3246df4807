#include "pipeline/stages/filter_stage.h"

#include <chrono>
#include <utility>

namespace vfilter {

FilterStage::FilterStage(StageRun& run, VideoRoute& route, std::unique_ptr<FilterEngine> engine, Verifier* verifier,
                         FilterOutputs outputs, std::optional<double> max_latency, FilterPlace place)
    : run_(run),
      route_(route),
      meter_(place.step != nullptr ? StageMeter(run, *place.step) : StageMeter(run, StageId::filter, route.number)),
      engine_(std::move(engine)),
      verifier_(verifier),
      outputs_(outputs),
      place_(place),
      from_(place.from),
      max_latency_(max_latency) {}

void FilterStage::run() {
    for (;;) {
        meter_.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = from_.receive();
        meter_.enter(Activity::working);
        const Time begin = StageStats::Clock::now();
        if (!frame) {
            break;
        }
        meter_.reached(frame->index);
        if (is_too_late(*frame)) {
            run_.drops.count(Drop::shed);
        } else if (!filter(*std::move(frame), begin)) {
            return;
        }
    }
    if (!run_.is_cancelled()) {
        engine_->finish();
    }
    while (!run_.is_cancelled() && engine_->in_flight() > 0 && pass_on_oldest(StageStats::Clock::now())) {
    }
}

// Whether a picture would be ready only after --max-latency. One in a second passes all the same: where the limit
// cannot be held at all, that is to be seen.
bool FilterStage::is_too_late(const Frame& frame) {
    constexpr std::chrono::seconds sign_of_life{1};
    if (!run_.live || !max_latency_) {
        return false;
    }
    const auto now = Stamps::Clock::now();
    const auto waits = route_.interval * static_cast<int>(engine_->delay());
    const std::chrono::duration<double, std::milli> expected = now - frame.stamps.captured + usual_time_ + waits;
    if (expected.count() > *max_latency_ && now - last_passed_ < sign_of_life) {
        return true;
    }
    last_passed_ = now;
    return false;
}

// False when no further picture is wanted.
bool FilterStage::filter(Frame frame, Time begin) {
    if (std::unique_ptr<FilterEngine> next = take_new_engine()) {
        engine_->finish();
        while (engine_->in_flight() > 0) {
            if (!pass_on_oldest(begin)) {
                return false;
            }
        }
        engine_ = std::move(next);
    }
    if (verifier_ != nullptr && verifier_->looks_in_time()) {
        verifier_->see(*engine_->on_host(*frame.picture), frame.index, frame.counted());
    }
    const bool verified = verifier_ != nullptr && verifier_->wants(frame.index);
    if (place_.keeps_originals && !frame.original) {
        frame.original = engine_->on_host(*frame.picture);
    }
    if (verified || (outputs_.window != nullptr && !frame.original)) {
        originals_.emplace(frame.index, engine_->on_host(*frame.picture));
    }
    engine_->submit(std::move(frame));
    // Live, nobody waits for the next picture to have this one.
    while (engine_->in_flight() >= (run_.live ? engine_->delay() + 1 : engine_->slots())) {
        if (!pass_on_oldest(begin)) {
            return false;
        }
    }
    return true;
}

void FilterStage::replace_engine(std::unique_ptr<FilterEngine> engine) {
    const std::lock_guard lock(mutex_);
    next_engine_ = std::move(engine);
}

std::unique_ptr<FilterEngine> FilterStage::take_new_engine() {
    const std::lock_guard lock(mutex_);
    return std::move(next_engine_);
}

// The oldest picture in the engine, on to where it is wanted. False when no further one is.
bool FilterStage::pass_on_oldest(Time begin) {
    Frame frame = engine_->take();
    note_times(frame, begin);
    if (const auto found = originals_.find(frame.index); found != originals_.end()) {
        if (verifier_ != nullptr && verifier_->wants(frame.index)) {
            verifier_->check(*found->second, *frame.picture, frame.index, frame.counted());
        }
        if (!frame.original) {
            frame.original = std::move(found->second);
        }
        originals_.erase(found);
    }
    meter_.worked(frame.index, begin);
    meter_.count();
    meter_.enter(Activity::waiting_for_output);
    const bool wanted = deliver(std::move(frame));
    meter_.enter(Activity::working);
    return wanted;
}

void FilterStage::note_times(Frame& frame, Time begin) {
    Stamps& stamps = frame.stamps;
    stamps.filtered = Stamps::Clock::now();
    stamps.uploaded = stamps.uploaded == Stamps::never ? begin : stamps.uploaded;
    constexpr int memory = 8;  // pictures over which the usual time follows a change
    usual_time_ += (stamps.filtered - begin - usual_time_) / memory;
    meter_.took(Leg::queue, stamps.uploaded - stamps.decoded);
    meter_.took(Leg::filter, stamps.filtered - stamps.uploaded);
    meter_.took(Leg::ready, stamps.filtered - stamps.captured);
}

bool FilterStage::deliver(Frame frame) {
    if (place_.to != nullptr) {
        return place_.to->send(std::move(frame));
    }
    const bool shown = outputs_.window == nullptr || show(frame);
    if (!outputs_.encoder) {
        return shown;
    }
    frame.original = nullptr;
    if (!run_.live) {
        return route_.filtered.send(std::move(frame));
    }
    // A slow encoder holds up neither the camera nor the window: what its queue cannot take is told.
    const Offered offered = route_.filtered.offer(frame, route_.time_to_next(frame));
    if (offered != Offered::taken) {
        run_.drops.count(Drop::unrecorded);
    }
    return offered != Offered::unwanted;
}

// False when the window is gone that paces the run: a recording goes on without its window.
bool FilterStage::show(const Frame& frame) {
    Frame shown{FramePtr(av_frame_clone(frame.picture.get())), frame.index, frame.stamps,
                FramePtr(av_frame_clone(frame.original.get())), frame.source};
    if (outputs_.window_paces) {
        return outputs_.window->send(std::move(shown));
    }
    if (outputs_.window->replace(std::move(shown)).overtaken) {
        run_.drops.count(Drop::unseen);
    }
    return true;
}

}  // namespace vfilter
