#include "io/output/avi_places.h"

#include <fmt/format.h>

#include "config/error.h"

namespace vfilter {

namespace {

constexpr std::int64_t most_filled = 60000;  // libavformat's limit

}  // namespace

void AviPlaces::check(const AVFormatContext& output, const AVPacket& packet) {
    const AVStream& stream = *output.streams[packet.stream_index];
    if (packet.dts == AV_NOPTS_VALUE || stream.codecpar->block_align != 0) {
        return;  // by bytes, of which the muxer fills none
    }
    const auto [place, first] = next_.try_emplace(packet.stream_index, 0);
    const bool video = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    if (const std::int64_t empty = packet.dts - place->second; video && !first && empty > most_filled) {
        const double tick = av_q2d(stream.time_base);
        throw Error(
            ExitCode::output,
            fmt::format("avi has a slot for every picture of its rate and at most {} empty ones in a row, but no "
                        "picture comes between {:.3f} s and {:.3f} s; mkv and mp4 hold any times",
                        most_filled, static_cast<double>(place->second - 1) * tick,
                        static_cast<double>(packet.dts) * tick));
    }
    place->second = packet.dts + 1;
}

}  // namespace vfilter
