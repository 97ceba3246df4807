#include "io/output/left_out_copies.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "config/error.h"
#include "io/packet_times.h"

namespace vfilter {

void LeftOutCopies::add(const AVPacket& packet, const AVStream& from, std::string_view what) {
    damage_.leave_out();
    if (!told_.insert(from.index).second) {
        return;
    }
    const std::int64_t at = presentation_time(packet);
    const std::string place = at == AV_NOPTS_VALUE
                                  ? "a place without a time"
                                  : fmt::format("{:.3f} s", static_cast<double>(at) * av_q2d(from.time_base) -
                                                                seconds_of(input_.told_from()));
    const bool sound = from.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    std::string text = fmt::format("stream {}: from {} on {}: what has them is left out{}", from.index, place, what,
                                   sound ? "; --audio aac encodes all of it" : "");
    if (input_.strict()) {
        throw Error(ExitCode::damaged, text + "; --strict was given");
    }
    if (input_.live()) {
        spdlog::warn("{}", text);
    }
    damage_.note(std::move(text));
}

}  // namespace vfilter
