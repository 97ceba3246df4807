#include "io/output/changed_copies.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <string>

#include "io/changed_parameters.h"
#include "io/packet_times.h"

namespace vfilter {

bool ChangedCopies::leaves_out(const AVPacket& packet, const AVStream& from, double told_from, Damage& left_out) {
    const AVCodecParameters* const now = attached_parameters(packet);
    if (now == nullptr || copy_follows(*from.codecpar, *now, packet)) {
        return false;
    }
    ++left_out.packets;
    if (told_.insert(from.index).second) {
        const std::int64_t at = presentation_time(packet);
        const std::string place =
            at == AV_NOPTS_VALUE
                ? "a place without a time"
                : fmt::format("{:.3f} s", static_cast<double>(at) * av_q2d(from.time_base) - told_from);
        const bool sound = from.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
        std::string what = fmt::format(
            "stream {}: from {} on the input is back with {}, which the header of the copy cannot tell any more: what "
            "has them is left out{}",
            from.index, place, sound ? "sound of another rate or other channels" : "pictures of another kind",
            sound ? "; --audio aac encodes all of it" : "");
        spdlog::warn("{}", what);
        left_out.note(std::move(what));
    }
    return true;
}

}  // namespace vfilter
