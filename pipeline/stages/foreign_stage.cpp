#include "pipeline/stages/foreign_stage.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "config/error.h"
#include "io/codec/picture_changes.h"
#include "io/compat.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

// By which the graph knows pictures again.
void* tag_of(std::int64_t number) {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(number));  // NOLINT(performance-no-int-to-ptr)
}

BufferPtr again(AVBufferRef& buffer) {
    BufferPtr copy(av_buffer_ref(&buffer));
    if (!copy) {
        throw std::bad_alloc();
    }
    return copy;
}

bool has_ticks_at(std::int64_t time, AVRational base) {
    return microseconds(av_rescale_q(time, microseconds_base, base), base) == time;
}

}  // namespace

// Of the picture that a graph was given. It travels with it, so that it ends where a filter drops the picture.
struct ForeignStage::Source {
    Stamps stamps;
    std::int64_t counted = -1;  // Frame's
    std::int64_t pts = 0;       // as the graph was given it
    std::int64_t duration = 0;
    FramePtr original;

    static BufferPtr in_buffer(Source source) {
        auto own = std::make_unique<Source>(std::move(source));
        const auto destroy = [](void* held, std::uint8_t*) { delete static_cast<Source*>(held); };
        BufferPtr buffer(
            av_buffer_create(reinterpret_cast<std::uint8_t*>(own.get()), sizeof(Source), destroy, own.get(), 0));
        if (!buffer) {
            throw std::bad_alloc();
        }
        own.release();  // NOLINT(bugprone-unused-return-value): it is the buffer's
        return buffer;
    }
    static const Source& in(const AVBufferRef& buffer) { return *reinterpret_cast<const Source*>(buffer.data); }
};

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

// A graph is set up for one shape of pixels.
void ForeignStage::look_at_aspect(const AVFrame& picture) {
    const AVRational said = picture.sample_aspect_ratio;
    const AVRational first = aspect_.value_or(said);
    aspect_ = first;
    if (told_aspect_ || said.num <= 0 || av_cmp_q(said, first) == 0) {
        return;
    }
    told_aspect_ = true;
    spdlog::warn(
        "--vf {}: from {:.3f} s on the input has a pixel aspect of {}:{} (first {}:{}); the graph and the output "
        "go on with what they began with",
        graph_.text(), static_cast<double>(picture.pts) * av_q2d(place_.time_base) - seconds_of(place_.told_from),
        said.num, said.den, first.num, first.den);
}

void ForeignStage::send(std::optional<Frame> frame) {
    if (!frame) {
        graph_.send(nullptr);
        return;
    }
    AVFrame& picture = *frame->picture;
    look_at_aspect(picture);
    picture.pts -= av_rescale_q(place_.begin, microseconds_base, place_.time_base);
    picture.sample_aspect_ratio = place_.sample_aspect;
    picture.color_range = picture.color_range == AVCOL_RANGE_UNSPECIFIED ? place_.range : picture.color_range;
    given_hdr_ = given_hdr_ || is_hdr_curve(picture.color_trc);
    if (!graph_.ended()) {
        if (place_.keeps_originals && !frame->original) {
            frame->original.reset(av_frame_clone(&picture));
        }
        picture.opaque = tag_of(++next_in_);
        latest_ = Source::in_buffer({.stamps = frame->stamps,
                                     .counted = frame->counted(),
                                     .pts = picture.pts,
                                     .duration = frame_duration(picture),
                                     .original = std::move(frame->original)});
        av_buffer_unref(&picture.opaque_ref);
        picture.opaque_ref = again(*latest_).release();
    }
    graph_.send(std::move(frame->picture));
}

// In the graph's clock. Of pictures that keep their rate one that keeps its time keeps its duration; of others the rate
// tells, and where there is none the time since the one before.
std::int64_t ForeignStage::duration_of(const AVFrame& picture, const Source& source) const {
    const GraphPictures& made = graph_.made();
    const bool has_rate = made.frame_rate.num > 0 && made.frame_rate.den > 0 && !place_.retimed;
    const bool same = has_rate && av_cmp_q(made.frame_rate, place_.frame_rate) == 0 &&
                      av_compare_ts(picture.pts, made.time_base, source.pts, place_.time_base) == 0;
    if (same || (!has_rate && !last_time_)) {
        return av_rescale_q(source.duration, place_.time_base, made.time_base);
    }
    if (has_rate) {
        return av_rescale_q(1, av_inv_q(made.frame_rate), made.time_base);
    }
    return last_time_ ? std::max<std::int64_t>(0, picture.pts - *last_time_) : 0;
}

// One that comes too early is moved. A video of such pictures would be a tick long each, which nobody wants.
void ForeignStage::tell_order(std::int64_t pts) {
    constexpr std::int64_t looked_at = 16;  // the first, before much work is done
    constexpr std::int64_t too_many = 12;
    const double seconds = static_cast<double>(pts) * av_q2d(given_base_) - seconds_of(place_.told_from);
    if (++moved_ == 1) {
        spdlog::warn("--vf {}: from {:.3f} s on its times do not rise; such pictures come a tick after the one before",
                     graph_.text(), seconds);
    }
    if (moved_ == too_many && next_out_ <= looked_at) {
        throw Error(
            ExitCode::usage,
            fmt::format("--vf {}: its times do not rise: of its first {} pictures {} are not after the one "
                        "before, in ticks of {}/{} s",
                        graph_.text(), next_out_, moved_, graph_.made().time_base.num, graph_.made().time_base.den));
    }
}

// Gives a picture its time on the input's clock.
void ForeignStage::date(AVFrame& picture, const Source& source) {
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
        tell_order(picture.pts);
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
    // A filter that makes pictures of its own tells nothing: they are taken for made of the latest.
    static const Source nothing;
    BufferPtr held(std::exchange(picture->opaque_ref, nullptr));
    if (!held && latest_) {
        held = again(*latest_);
    }
    const Source& source = held ? Source::in(*held) : nothing;
    date(*picture, source);
    frame.stamps = source.stamps;
    frame.source = source.counted;
    if (source.original) {
        frame.original.reset(av_frame_clone(source.original.get()));
    }
    picture->opaque = nullptr;
    if (place_.turned) {
        av_frame_remove_side_data(picture.get(), AV_FRAME_DATA_DISPLAYMATRIX);
    }
    if (given_hdr_ && !is_hdr_curve(picture->color_trc)) {
        drop_hdr_data(*picture);  // tone mapping
    }
    if (place_.matrix != AVCOL_SPC_UNSPECIFIED && said(picture->colorspace) == AVCOL_SPC_UNSPECIFIED) {
        picture->colorspace = place_.matrix;
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
