#include "pipeline/session/idle_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "filters/names.h"
#include "io/output/container_rules.h"
#include "io/output/stills.h"

namespace vfilter {

namespace {

struct Idle {
    bool idle;
    std::string text;
};

// Whether the container has a place for the four letters of a codec that a user chose.
bool has_tags(const AVOutputFormat& container) {
    constexpr std::array<std::string_view, 2> others{"avi", "nut"};
    return is_quicktime(container) || std::ranges::find(others, container.name) != others.end();
}

}  // namespace

std::vector<std::string> idle_options(const Options& options, const Demuxer& input, const AVOutputFormat* container) {
    const InputOptions& from = options.input;
    const OutputOptions& to = options.output;
    const bool awaited = input.live() || input.waits() || to.streamed;
    const std::optional<Stills> stills = container != nullptr ? stills_of(to) : std::nullopt;
    const bool null = container != nullptr && std::string_view(container->name) == "null";
    const bool named = !to.path.empty() && to.path != "-" && to.path != "/dev/null";
    const Idle rows[] = {
        {options.max_latency && !input.live(),
         "--max-latency changes nothing: the input is no live one, and every picture counts"},
        {from.timeout != 0 && !awaited, "--timeout changes nothing: it is for live inputs, addresses and pipes"},
        {to.start_number != OutputOptions{}.start_number && !(stills && stills->names),
         "--start-number changes nothing: the output is no sequence of pictures, such as pictures_%04d.png"},
        {!to.video_tag.empty() && container != nullptr && !null && !has_tags(*container),
         "--video-tag changes nothing: only mp4, mov, avi and nut name a codec by four letters"},
        {null && named, fmt::format("--format null: {} is not written", shortened(to.path))},
    };
    std::vector<std::string> idle;
    for (const Idle& row : rows) {
        if (row.idle) {
            idle.push_back(row.text);
        }
    }
    return idle;
}

}  // namespace vfilter
