#include "io/output/movie_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "io/containers.h"
#include "io/output/container_rules.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Of videos. A duration has 31 bits, of which nanoseconds hold two seconds, and microseconds half an hour.
constexpr int too_fine_movie_clock = 100'000'000;
constexpr int instead_of_too_fine = 1'000'000;

int movie_clock(int clock) {
    return clock < too_fine_movie_clock ? clock : instead_of_too_fine;
}

// When a stream begins is counted in the movie's clock: one in which every stream's ticks are whole, or at least
// video's.
int movie_timescale(const AVStream& video, const AVFormatContext& output) {
    const int ticks = movie_clock(video.time_base.den);
    std::int64_t common = ticks;
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        const AVStream& stream = *output.streams[i];
        const int rate = stream.codecpar->sample_rate;
        common = std::lcm(common, rate > 0 ? rate : movie_clock(stream.time_base.den));
        if (common > INT_MAX) {
            return std::max(ticks, 1000);
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

// Whether there is one that players show by iTunes' name, and not by another of the same word.
bool has_shown_tag(const AVFormatContext& output) {
    constexpr std::array<std::string_view, 6> shown{"title",        "artist",  "album",
                                                    "album_artist", "comment", "description"};
    return std::ranges::any_of(
        shown, [&](std::string_view key) { return av_dict_get(output.metadata, key.data(), nullptr, 0) != nullptr; });
}

constexpr std::string_view flags_key = "movflags";
constexpr std::string_view fast_start = "faststart";

// The flags in "+a-b" or "a+b", each with its sign.
std::vector<std::string> flags_of(std::string_view text) {
    std::vector<std::string> flags;
    while (!text.empty()) {
        const bool sign = text.front() == '+' || text.front() == '-';
        const std::size_t end = std::min(text.find_first_of("+-", sign ? 1 : 0), text.size());
        flags.push_back((sign ? "" : "+") + std::string(text.substr(0, end)));
        text.remove_prefix(end);
    }
    return flags;
}

bool has_flag(const OptionPairs& options, const auto& wanted) {
    return std::ranges::any_of(options, [&](const auto& option) {
        return option.first == flags_key && std::ranges::any_of(flags_of(option.second), wanted);
    });
}

bool makes_fragments(const std::string& flag) {
    return flag.starts_with("+frag_") || flag == "+empty_moov" || flag == "+dash" || flag == "+cmaf";
}

// Fragments as well, with an index in another place.
bool has_index_of_its_own(const std::string& flag) {
    return flag == "+isml" || flag == "+hybrid_fragmented";
}

bool limits_fragments(const OptionPairs& options) {
    return find_option(options, "frag_duration") != nullptr || find_option(options, "frag_size") != nullptr;
}

// Written with the first fragment at the latest, which may end before a stream begins, the index could not say when
// each track does.
bool wants_late_index(const OptionPairs& options) {
    return (has_flag(options, makes_fragments) || limits_fragments(options)) &&
           !has_flag(options,
                     [](const std::string& flag) { return flag == "-delay_moov" || has_index_of_its_own(flag); });
}

}  // namespace

bool asks_for_fragments(const OptionPairs& options) {
    return has_flag(options, makes_fragments) || has_flag(options, has_index_of_its_own) || limits_fragments(options) ||
           find_option(options, "isml") != nullptr || find_option(options, "hybrid_fragmented") != nullptr;
}

void check_words_in_fragments(const OptionPairs& options) {
    constexpr std::int64_t least = 500'000;  // microseconds: several packets of each stream
    const auto refuse = [](std::string_view option) {
        throw Error(
            ExitCode::usage,
            fmt::format("--muxer-option: subtitles cannot be in fragments of single packets ({}), in which FFmpeg's "
                        "muxer loses their times: movflags=frag_keyframe, or --subtitles none",
                        option));
    };
    if (has_flag(options, [](const std::string& flag) { return flag == "+frag_every_frame"; })) {
        refuse("frag_every_frame");
    }
    for (const auto& [key, value] : options) {
        std::int64_t duration = 0;
        const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), duration);
        const bool is_short = error == std::errc() && duration > 0 && duration < least;
        if (key == "frag_size" || (key == "frag_duration" && is_short)) {
            refuse(key);
        }
    }
}

bool wants_fast_start(const OptionPairs& options) {
    return find_option(options, "moov_size") == nullptr && !asks_for_fragments(options) &&
           !has_flag(options, [](const std::string& flag) { return flag == "-" + std::string(fast_start); });
}

void add_muxer_options(const AVOutputFormat& container, const OptionPairs& options, Dictionary& settings) {
    for (const auto& [key, value] : options) {
        if (!is_quicktime(container) || key != flags_key) {
            settings.set(key, value);
            continue;
        }
        const AVDictionaryEntry* const set = av_dict_get(*settings.get(), key.c_str(), nullptr, 0);
        std::string flags = set != nullptr ? set->value : "";
        for (const std::string& flag : flags_of(value)) {
            // Ours: FFmpeg's would read the file behind our back.
            flags += flag.substr(1) == fast_start ? "" : flag;
        }
        if (!flags.empty()) {
            settings.set(key, flags);
        }
    }
    if (is_quicktime(container) && wants_late_index(options)) {
        const AVDictionaryEntry* const set = av_dict_get(*settings.get(), std::string(flags_key).c_str(), nullptr, 0);
        settings.set(std::string(flags_key), fmt::format("{}+delay_moov", set != nullptr ? set->value : ""));
    }
}

void set_movie_options(const Demuxer& input, const AVFormatContext& output, bool fragments, Dictionary& settings) {
    settings.set("movie_timescale", std::to_string(movie_timescale(input.video(), output)));
    const auto is_finer = [](const AVStream* s) {
        return s->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(*s) &&
               s->time_base.den >= too_fine_movie_clock;
    };
    if (std::any_of(output.streams, output.streams + output.nb_streams, is_finer)) {
        settings.set("video_track_timescale", std::to_string(instead_of_too_fine));
    }
    std::string flags;
    if (fragments) {
        flags = "+frag_keyframe+delay_moov+default_base_moof";
        if (input.live()) {
            settings.set("frag_duration", "1000000");
        } else {
            spdlog::info("the output cannot be sought: {} is written in fragments", output.oformat->name);
        }
    }
    const bool cover = std::any_of(output.streams, output.streams + output.nb_streams,
                                   [](const AVStream* s) { return is_attached_picture(*s); });
    const std::string foreign = foreign_tags(output);
    if (!foreign.empty() && cover) {
        // The muxer writes either Apple's keys, which may be anything, or iTunes', among which is the cover. What is
        // lost is told when the file is read again.
        spdlog::info("{} cannot hold all tags beside a cover: {}", output.oformat->name, foreign);
    } else if (!foreign.empty()) {
        flags += "+use_metadata_tags";
        if (has_shown_tag(output)) {
            spdlog::warn(
                "iTunes' tags in {} have no place for {}, so that all tags are written as Apple's keys: many players "
                "show no title then; --metadata KEY= leaves one out",
                output.oformat->name, foreign);
        }
    }
    if (!flags.empty()) {
        settings.set("movflags", flags);
    }
}

}  // namespace vfilter
