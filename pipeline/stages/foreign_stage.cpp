#include "pipeline/stages/foreign_stage.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "io/codec/picture_changes.h"
#include "io/compat.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

// The number of a picture travels through libavfilter in the pointer that FFmpeg keeps for its callers.
std::int64_t number_of(const AVFrame& picture) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(picture.opaque));
}

void* tag_of(std::int64_t number) {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(number));  // NOLINT(performance-no-int-to-ptr)
}

bool has_ticks_at(std::int64_t time, AVRational base) {
    return microseconds(av_rescale_q(time, microseconds_base, base), base) == time;
}

}  // namespace

AVRational time_base_after(const ForeignPlace& place, AVRational of_graph) {
    constexpr std::int64_t max_rate = 1'000'000'000;
    if (place.begin == 0 || has_ticks_at(place.begin, of_graph)) {
        return of_graph;
    }
    // Ticks of both clocks.
    const std::int64_t rate = std::lcm<std::int64_t>(of_graph.den, place.time_base.den);
    return rate <= max_rate ? AVRational{1, static_cast<int>(rate)} : of_graph;
}

ForeignStage::ForeignStage(StageRun& run, VideoRoute& route, StepStats& step, FilterGraph& graph,
                           const ForeignPlace& place, Channel<Frame>& from, Channel<Frame>& to)
    : run_(run),
      route_(route),
      step_(step),
      meter_(run, step),
      graph_(graph),
      place_(place),
      given_base_(time_base_after(place, graph.made().time_base)),
      from_(from),
      to_(to) {}

void ForeignStage::run() {
    for (bool more = true; more;) {
        meter_.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = from_.receive();
        if (run_.is_cancelled()) {
            return;
        }
        meter_.enter(Activity::working);
        auto begin = StageStats::Clock::now();
        more = frame.has_value();
        step_.taken.fetch_add(more ? 1 : 0, std::memory_order_relaxed);
        send(std::move(frame));
        while (FramePtr picture = graph_.receive()) {
            if (!pass_on(std::move(picture), begin)) {
                return;
            }
            begin = StageStats::Clock::now();
        }
        if (graph_.ended()) {
            route_.chain_ended.store(true, std::memory_order_relaxed);
        }
    }
}

void ForeignStage::send(std::optional<Frame> frame) {
    if (!frame) {
        graph_.send(nullptr);
        return;
    }
    AVFrame& picture = *frame->picture;
    picture.pts -= av_rescale_q(place_.begin, microseconds_base, place_.time_base);
    picture.sample_aspect_ratio = place_.sample_aspect;
    given_hdr_ = given_hdr_ || is_hdr_curve(picture.color_trc);
    if (!graph_.ended()) {
        if (place_.keeps_originals && !frame->original) {
            frame->original.reset(av_frame_clone(&picture));
        }
        picture.opaque = tag_of(++next_in_);
        inside_.emplace(next_in_, Inside{frame->stamps, frame->counted(), picture.pts, frame_duration(picture),
                                         std::move(frame->original)});
    }
    graph_.send(std::move(frame->picture));
}

// The picture that one was made from, as far as libavfilter tells, or else the latest; none at all if it was made from
// nothing.
std::map<std::int64_t, ForeignStage::Inside>::iterator ForeignStage::source_of(const AVFrame& picture) {
    const auto found = inside_.find(number_of(picture));
    if (found != inside_.end()) {
        return found;
    }
    return inside_.empty() ? inside_.end() : std::prev(inside_.end());
}

// In the graph's clock. Of pictures that keep their rate one that keeps its time keeps its duration; of others the rate
// tells, and where there is none the time since the one before.
std::int64_t ForeignStage::duration_of(const AVFrame& picture, const Inside* source) const {
    const GraphPictures& made = graph_.made();
    const bool has_rate = made.frame_rate.num > 0 && made.frame_rate.den > 0 && !place_.retimed;
    const bool same = source != nullptr && has_rate && av_cmp_q(made.frame_rate, place_.frame_rate) == 0 &&
                      av_compare_ts(picture.pts, made.time_base, source->pts, place_.time_base) == 0;
    if (same || (!has_rate && !last_time_ && source != nullptr)) {
        return av_rescale_q(source->duration, place_.time_base, made.time_base);
    }
    if (has_rate) {
        return av_rescale_q(1, av_inv_q(made.frame_rate), made.time_base);
    }
    return last_time_ ? std::max<std::int64_t>(0, picture.pts - *last_time_) : 0;
}

// Gives a picture its time on the input's clock.
void ForeignStage::date(AVFrame& picture, const Inside* source) {
    const AVRational base = graph_.made().time_base;
    if (picture.pts == AV_NOPTS_VALUE) {
        picture.pts = last_time_ ? *last_time_ + 1 : 0;
    }
    const std::int64_t duration = duration_of(picture, source);
    last_time_ = picture.pts;
    picture.pts =
        av_rescale_q(picture.pts, base, given_base_) + av_rescale_q(place_.begin, microseconds_base, given_base_);
    set_frame_duration(picture, av_rescale_q(duration, base, given_base_));
    if (last_pts_ && picture.pts <= *last_pts_) {
        if (!std::exchange(told_order_, true)) {
            spdlog::warn(
                "--vf {}: from {:.3f} s on its times do not rise; such pictures come a tick after the one before",
                graph_.text(), static_cast<double>(picture.pts) * av_q2d(given_base_));
        }
        picture.pts = *last_pts_ + 1;
    }
    last_pts_ = picture.pts;
}

// Filters may give pictures that lie upside down in memory, which engines do not read.
void ForeignStage::put_upright(FramePtr& picture) const {
    const auto lies_upside_down = [](int stride) { return stride < 0; };
    if (!place_.upright || std::ranges::none_of(picture->linesize, lies_upside_down)) {
        return;
    }
    picture = place_.pool->copy_of(*picture);
}

// False when no further picture is wanted.
bool ForeignStage::pass_on(FramePtr picture, StageStats::Clock::time_point begin) {
    Frame frame{nullptr, next_out_++};
    const auto source = source_of(*picture);
    date(*picture, source != inside_.end() ? &source->second : nullptr);
    if (source != inside_.end()) {
        frame.stamps = source->second.stamps;
        // Of what comes backwards (reverse) only the number is left.
        const std::int64_t number = number_of(*picture);
        frame.source = number > 0 && number < source->first ? number - 1 : source->second.source;
        if (source->second.original) {
            frame.original.reset(av_frame_clone(source->second.original.get()));
        }
        // A filter gives pictures in their order, some of them twice.
        inside_.erase(inside_.begin(), source);
    }
    picture->opaque = nullptr;
    if (place_.turned) {
        av_frame_remove_side_data(picture.get(), AV_FRAME_DATA_DISPLAYMATRIX);
    }
    if (given_hdr_ && !is_hdr_curve(picture->color_trc)) {
        drop_hdr_data(*picture);  // tone mapping
    }
    put_upright(picture);
    frame.picture = std::move(picture);
    meter_.worked(frame.index, begin);
    meter_.count();
    meter_.enter(Activity::waiting_for_output);
    const bool wanted = to_.send(std::move(frame));
    meter_.enter(Activity::working);
    return wanted;
}

}  // namespace vfilter
