#include "io/output/movie_options.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <numeric>
#include <string>

#include "io/output/container_rules.h"

namespace vfilter {

namespace {

// When a stream begins is counted in the movie's clock: one in which every stream's ticks are whole, or at least
// video's.
int movie_timescale(const AVStream& video, const AVFormatContext& output) {
    std::int64_t common = video.time_base.den;
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        const AVStream& stream = *output.streams[i];
        const int rate = stream.codecpar->sample_rate;
        common = std::lcm(common, rate > 0 ? rate : stream.time_base.den);
        if (common > INT_MAX) {
            return static_cast<int>(std::max<std::int64_t>(video.time_base.den, 1000));
        }
    }
    const std::int64_t milliseconds = std::lcm(common, std::int64_t{1000});
    return static_cast<int>(milliseconds <= INT_MAX ? milliseconds : common);
}

// Those that stand in no table of the muxer's; "" if there are none.
std::string foreign_tags(const AVFormatContext& output) {
    std::string foreign;
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(output.metadata, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        if (!is_itunes_tag(tag->key)) {
            foreign += (foreign.empty() ? "" : ", ") + std::string(tag->key);
        }
    }
    return foreign;
}

}  // namespace

void set_movie_options(const Demuxer& input, const AVFormatContext& output, bool fragments, Dictionary& settings) {
    settings.set("movie_timescale", std::to_string(movie_timescale(input.video(), output)));
    std::string flags;
    if (fragments) {
        flags = "+frag_keyframe+delay_moov+default_base_moof";
        if (input.live()) {
            settings.set("frag_duration", "1000000");
        } else {
            spdlog::info("the output cannot be sought: {} is written in fragments", output.oformat->name);
        }
    }
    const AVFormatContext& from = input.format();
    const bool cover = std::any_of(from.streams, from.streams + from.nb_streams,
                                   [](const AVStream* s) { return is_attached_picture(*s); });
    const std::string foreign = foreign_tags(output);
    if (!foreign.empty() && cover) {
        // The muxer writes either Apple's keys, which may be anything, or iTunes', among which is the cover.
        spdlog::warn("tags left out, as {} cannot hold them beside a cover: {}", output.oformat->name, foreign);
    } else if (!foreign.empty()) {
        flags += "+use_metadata_tags";
    }
    if (!flags.empty()) {
        settings.set("movflags", flags);
    }
}

}  // namespace vfilter
