#include "io/input/file_layers.h"

#include <utility>

#include "io/demuxers.h"
#include "io/input/layers/clock_jumps.h"
#include "io/input/layers/keyed_sound.h"
#include "io/input/layers/known_streams.h"
#include "io/input/layers/lone_holes.h"
#include "io/input/layers/stray_times.h"
#include "io/input/opening_settings.h"
#include "io/source.h"

namespace vfilter {

std::unique_ptr<OpenedInput> open_file(InputRequest& options, const std::function<bool()>& interrupted) {
    auto input = std::make_unique<OpenedInput>(options, interrupted);
    if (input->may_tell_more()) {
        look_farther(options, *input->format().iformat);
        input.reset();
        input = std::make_unique<OpenedInput>(options, interrupted);
    }
    return input;
}

void lay_counting_layers(std::unique_ptr<PacketSource>& source, PacketAccount& account,
                         std::optional<std::chrono::steady_clock::time_point> asked) {
    lay<Counted>(source, account);
    if (ClockJumps::occur_in(source->format(), asked.has_value())) {
        lay<ClockJumps>(source, account, asked);
    }
}

void lay_file_layers(std::unique_ptr<PacketSource>& source, const std::vector<int>& videos, const InputRequest& options,
                     PacketAccount& account, std::shared_ptr<StreamWatch> watch) {
    if (!watch) {
        watch = std::make_shared<StreamWatch>(options.wanted, options.strict, false);
        watch->settle({});
    }
    lay<KnownStreams>(source, videos, std::move(watch));
    if (has_key(options)) {
        lay<KeyedSound>(source, options);
    }
    if (source_of(options.path).prefix.empty() && !is_playlist(*source->format().iformat)) {
        lay<StrayTimes>(source, options.strict);
    }
    lay_counting_layers(source, account);
    lay<LoneHoles>(source, videos);
}

}  // namespace vfilter
