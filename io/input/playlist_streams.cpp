#include "io/input/playlist_streams.h"

#include <algorithm>
#include <span>
#include <utility>

#include "io/packet_times.h"

namespace vfilter {

void PlaylistStreams::note(const AVFormatContext& format, const AVPacket& packet) {
    const auto index = static_cast<std::size_t>(packet.stream_index);
    const AVRational base = format.streams[index]->time_base;
    latest_.resize(std::max<std::size_t>(latest_.size(), format.nb_streams));
    latest_[index] = packet.pts == AV_NOPTS_VALUE ? latest_[index] : microseconds(packet.pts, base);
    if (packet.dts == AV_NOPTS_VALUE) {
        return;
    }
    ends_.resize(std::max<std::size_t>(ends_.size(), format.nb_streams), AV_NOPTS_VALUE);
    std::int64_t& end = ends_[index];
    end = std::max(end, microseconds(av_sat_add64(packet.dts, packet.duration), base));
}

bool PlaylistStreams::leave_ended(const AVFormatContext& format) {
    latest_.resize(std::max<std::size_t>(latest_.size(), format.nb_streams));
    const std::span streams(format.streams, format.nb_streams);
    const auto is_read = [](const AVStream* stream) { return stream->discard < AVDISCARD_ALL; };
    AVStream* behind = nullptr;
    for (AVStream* const stream : streams) {
        const auto latest = [&](const AVStream* of) { return latest_[static_cast<std::size_t>(of->index)]; };
        if (is_read(stream) && (behind == nullptr || latest(stream) < latest(behind))) {
            behind = stream;
        }
    }
    if (behind != nullptr) {
        behind->discard = AVDISCARD_ALL;
        left_.push_back(behind);
    }
    return std::ranges::any_of(streams, is_read);
}

void PlaylistStreams::forgive_joint(const AVFormatContext& format, AVPacket& packet, std::int64_t joints) {
    if (joints == 0 || (packet.flags & AV_PKT_FLAG_CORRUPT) == 0) {
        return;
    }
    forgiven_.resize(std::max<std::size_t>(forgiven_.size(), format.nb_streams));
    if (std::int64_t& forgiven = forgiven_[static_cast<std::size_t>(packet.stream_index)]; forgiven < joints) {
        ++forgiven;
        packet.flags &= ~AV_PKT_FLAG_CORRUPT;
    }
}

void PlaylistStreams::sought() {
    for (AVStream* const ended : std::exchange(left_, {})) {
        ended->discard = AVDISCARD_DEFAULT;
    }
    std::ranges::fill(latest_, 0);
}

MissingParts::End PlaylistStreams::how_ended(const AVFormatContext& format) const {
    constexpr std::int64_t tolerance = AV_TIME_BASE / 2;
    if (format.duration == AV_NOPTS_VALUE) {
        return MissingParts::End::as_promised;
    }
    const std::int64_t first = format.start_time == AV_NOPTS_VALUE ? 0 : format.start_time;
    const std::int64_t enough = av_sat_add64(first, format.duration) - tolerance;
    const auto early = [&](std::int64_t end) { return end != AV_NOPTS_VALUE && end < enough; };
    const auto late = [&](std::int64_t end) { return end != AV_NOPTS_VALUE && end >= enough; };
    if (std::ranges::none_of(ends_, early)) {
        return MissingParts::End::as_promised;
    }
    return std::ranges::none_of(ends_, late) ? MissingParts::End::early : MissingParts::End::uneven;
}

}  // namespace vfilter
