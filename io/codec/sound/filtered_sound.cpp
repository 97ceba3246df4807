#include "io/codec/sound/filtered_sound.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "config/lavfi/facts.h"
#include "io/codec/sound/sound_frames.h"
#include "io/codec/sound/sound_layouts.h"
#include "io/containers.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr double rounded_seconds = 0.002;  // of times in another clock than that of the samples

// Behind what goes in, of graphs that are not known to go on.
constexpr double longest_tail_seconds = 4 * 3600;

}  // namespace

// loudnorm has 192 kHz, for which nobody has asked who does not resample.
SoundFormat format_behind(const std::string& graph, const SoundFormat& given) {
    SoundFormat made = SoundGraph(graph, given, std::nullopt).made();
    complete_layout(made.channels);
    made.rate = lavfi::some_have(graph, lavfi::resamples) ? made.rate : std::min(made.rate, given.rate);
    return made;
}

FilteredSound::FilteredSound(const Demuxer& input, int stream, const SoundSetup& setup, const SoundFormat& given,
                             SoundEncoder& encoder)
    : input_(input),
      stream_(stream),
      encoder_(encoder),
      given_clock_(sample_clock(given.rate)),
      graph_(setup.how.graph, given, encoder.format()),
      begin_(input.part().start ? input.part().shift : input.part().input_begin),
      fixed_begin_(only_counts_sound(setup.container, setup.encoder.id) && !input.live()) {
    graph_.tell_results();
}

void FilteredSound::add(FramePtr sound) {
    if (sound->nb_samples > 0) {
        given_ = true;
        sound->pts -= av_rescale_q(begin_, microseconds_base, given_clock_);
        graph_.send(sound);
    }
}

void FilteredSound::end(std::int64_t at) {
    if (graph_.goes_on()) {
        const AVRational clock = encoder_.time_base();
        const std::int64_t told = input_.told_end();
        const std::int64_t end =
            std::min(input_.part().exact_end.value_or(INT64_MAX), told != AV_NOPTS_VALUE ? told : INT64_MAX);
        const std::int64_t heard = av_rescale_q(at, given_clock_, clock);
        until_ = std::max(heard, end != INT64_MAX ? av_rescale_q(end, microseconds_base, clock) : heard);
        // Slower than what it was given, it has some of that on its way.
        until_ = encoder_.next() > *until_ ? encoder_.next() + encoder_.format().rate : *until_;
    }
    given_all_ = true;
    graph_.send(nullptr);
}

// What goes on by itself waits for what goes in.
bool FilteredSound::make_progress(std::int64_t given_to) {
    const bool ahead = av_compare_ts(encoder_.next(), encoder_.time_base(), given_to, given_clock_) > 0;
    if (!given_all_ && (!given_ || (ahead && graph_.runs_ahead()))) {
        return false;
    }
    const FramePtr made = graph_.receive();
    if (!made) {
        return graph_.ended();
    }
    place(*made);
    return true;
}

// Behind a gap, if need be, and not before the output begins.
void FilteredSound::place(AVFrame& sound) {
    const AVRational clock = encoder_.time_base();
    const std::int64_t begin = av_rescale_q(begin_, microseconds_base, clock);
    std::int64_t at = sound.pts == AV_NOPTS_VALUE
                          ? encoder_.next()
                          : av_sat_add64(av_rescale_q(sound.pts, graph_.time_base(), clock), begin);
    if (!filtered_ && at < encoder_.next() && !fixed_begin_) {
        encoder_.go_on_at(std::max(at, begin));  // it begins earlier than what went in
    }
    if (!filtered_ && at < encoder_.next()) {
        const std::int64_t before = std::min<std::int64_t>(encoder_.next() - at, sound.nb_samples);
        cut_front(sound, static_cast<int>(before));
        at += before;
        if (sound.nb_samples == 0) {
            return;
        }
    }
    const double gap = static_cast<double>(at - encoder_.next()) / encoder_.format().rate;
    if (gap > (filtered_ ? usual_hole_seconds : 0) && gap < encoder_.longest_step()) {
        encoder_.go_on_at(at);
    } else if (gap > usual_hole_seconds) {
        throw Error(
            ExitCode::usage,
            fmt::format("--af {}: what it makes goes on {:.3f} s later, and the output holds no gaps of its sound",
                        graph_.text(), gap));
    } else if (gap > rounded_seconds) {
        encoder_.add_silence(at - encoder_.next());
    } else if (gap < -rounded_seconds && !std::exchange(told_overlap_, true)) {
        spdlog::warn(
            "--af {}: its timestamps stand still or go back by {:.3f} s, so that part is heard directly "
            "after what came before",
            graph_.text(), -gap);
    }
    if (cut_to_end(sound)) {
        filtered_ = true;
        encoder_.add(sound);
    }
}

// False where nothing is left of it.
bool FilteredSound::cut_to_end(AVFrame& sound) {
    const int rate = encoder_.format().rate;
    made_behind_ += given_all_ ? sound.nb_samples : 0;
    if (!graph_.goes_on() && static_cast<double>(made_behind_) > longest_tail_seconds * rate) {
        throw Error(ExitCode::usage, fmt::format("--af {}: makes sound without end", graph_.text()));
    }
    if (!until_ || encoder_.next() + sound.nb_samples <= *until_) {
        return true;
    }
    spdlog::warn("--af {}: makes sound without end: of stream {} it ends with the input, at {:.3f} s", graph_.text(),
                 stream_, static_cast<double>(*until_) / rate - seconds_of(begin_));
    cut_ = true;
    sound.nb_samples = static_cast<int>(std::max<std::int64_t>(0, *until_ - encoder_.next()));
    return sound.nb_samples > 0;
}

}  // namespace vfilter
