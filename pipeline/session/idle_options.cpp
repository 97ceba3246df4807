#include "pipeline/session/idle_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "config/encoder_facts.h"
#include "filters/names.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/part_encoders.h"
#include "io/containers.h"
#include "io/demuxers.h"
#include "io/output/sink.h"
#include "io/stills.h"

namespace vfilter {

namespace {

struct Idle {
    bool idle;
    std::string text;
};

// Two options that say the same to an encoder, of which one counts.
struct Rival {
    std::string_view ours;  // what it is called
    std::string_view name;  // of the encoder's option that it sets
    std::string_view key;   // of --encoder-option
    bool given;             // ours
    bool known = true;      // how the encoder chooses between them
};

// What is set by --encoder-option is set last, and counts, unless the encoder goes by the other one before.
std::vector<std::string> rivals(const OutputOptions& to, const AVOutputFormat& container) {
    const EncoderFacts& encoder = encoder_facts(encoder_of(to, container));
    const bool crf = to.crf.has_value();
    const bool rate = to.bitrate.has_value();
    const bool ranks = !encoder.goes_by.front().empty();
    const bool quality = encoder.quality.key != nullptr && encoder.quality.key == std::string_view("quality");
    const Rival rows[] = {{"--crf", "crf", "crf", crf},
                          {"--crf", "crf", "cq", crf},
                          {"--crf", "crf", "quality", crf, quality},
                          {"--crf", "crf", "global_quality", crf},
                          {"--crf", "crf", "qp", crf, ranks},
                          {"--crf", "crf", "b", crf, ranks},
                          {"--bitrate", "b", "b", rate},
                          {"--bitrate", "b", "crf", rate, ranks},
                          {"--bitrate", "b", "qp", rate, ranks},
                          {"--preset", "preset", "preset", !to.preset.empty()}};
    std::vector<std::string> lines;
    for (const Rival& row : rows) {
        const std::string* const other = find_option(to.encoder_options, row.key);
        if (!row.given || other == nullptr || !row.known) {
            continue;
        }
        const std::string theirs = fmt::format("--encoder-option {}={}", row.key, shortened(*other));
        const bool ours_counts = encoder.prefers(row.name, row.key);
        lines.push_back(ours_counts ? fmt::format("{} changes nothing: {} counts", theirs, row.ours)
                                    : fmt::format("{} changes nothing: {} counts", row.ours, theirs));
    }
    return lines;
}

}  // namespace

std::vector<std::string> idle_options(const Options& options, const Demuxer& input, const AVOutputFormat* container) {
    const InputOptions& from = options.input;
    const OutputOptions& to = options.output;
    const bool awaited = input.live() || input.waits() || is_streamed(to);
    const std::optional<Stills> stills = container != nullptr ? stills_of(to) : std::nullopt;
    const bool null = container != nullptr && container_of(*container).has(fact::nowhere);
    const bool named = !to.path.empty() && to.path != "-" && to.path != "/dev/null";
    const Idle rows[] = {
        {options.max_latency && !input.live(),
         "--max-latency changes nothing: the input is no live one, and every picture counts"},
        {!from.added_options.empty() && from.added.empty(), "--add-option changes nothing: no file is added"},
        {from.timeout != 0 && !awaited, "--timeout changes nothing: it is for live inputs, addresses and pipes"},
        {to.start_number != OutputOptions{}.start_number && !(stills && stills->names),
         "--start-number changes nothing: the output is no sequence of pictures, such as pictures_%04d.png"},
        {!to.video_tag.empty() && container != nullptr && has_no_tags(*container),
         fmt::format("--video-tag changes nothing: {} does not name a codec by four letters",
                     container != nullptr ? name_of_output(*container) : "")},
        {options.verify && options.filters.empty(),
         "--verify changes nothing: it is of vfilter's own filters, and none is given"},
        {to.encoders != 1 && awaited,
         "--encoders changes nothing: live, and with pipes and addresses, each picture is needed at once"},
        {to.encoders != 1 && !awaited && container != nullptr && !can_be_parted(choose_codec(to, *container).id),
         "--encoders changes nothing: only H.264, HEVC, VP8, VP9 and AV1 gain by parts"},
        {null && named, fmt::format("--format null: {} is not written", shortened(to.path))},
    };
    std::vector<std::string> idle = container != nullptr ? rivals(to, *container) : std::vector<std::string>{};
    for (const Idle& row : rows) {
        if (row.idle) {
            idle.push_back(row.text);
        }
    }
    return idle;
}

void tell_single_picture(const Options& options, const Demuxer& input, std::int64_t made) {
    const InputOptions& from = options.input;
    const std::optional<Position>& wanted = from.duration ? from.duration : from.end;
    if (made != 1 || !wanted || !demuxer_facts(*input.format().iformat).has(input_fact::pictures) ||
        stills_of(options.output)) {
        return;
    }
    const double rate = input.average_rate(input.videos().front());
    const double seconds = wanted->seconds(rate);
    if (rate > 0 && seconds * rate > 1) {
        spdlog::warn(
            "the input is one picture, shown for {:.3g} s: --vf loop=loop=-1:size=1,trim=duration={:g} shows it "
            "for so long",
            1 / rate, seconds);
    }
}

void tell_idle(const std::vector<std::string>& idle) {
    for (const std::string& line : idle) {
        spdlog::warn("{}", line);
    }
}

}  // namespace vfilter
