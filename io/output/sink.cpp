#include "io/output/sink.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/error.h"

namespace vfilter {

namespace {

constexpr std::array<SourceSetting, 2> no_sink_settings{};
// The trailer would go back to the header, which an address cannot.
constexpr std::array<SourceSetting, 2> flv_settings{{{"flvflags", "no_duration_filesize"}, {}}};
// Players that join later need the tables again.
constexpr std::array<SourceSetting, 2> mpegts_settings{{{"mpegts_flags", "resend_headers"}, {}}};

//   prefix, muxer, protocols, connects itself, settings
constexpr Sink sinks[] = {
    {"rtmp://", "flv", "rtmp,tcp", false, flv_settings},
    {"rtmps://", "flv", "rtmps,tls,tcp", false, flv_settings},
    {"srt://", "mpegts", "srt", false, mpegts_settings},
    {"udp://", "mpegts", "udp", false, mpegts_settings},
    {"tcp://", "mpegts", "tcp", false, mpegts_settings},
    {"rtp://", "rtp_mpegts", "rtp,udp", false, no_sink_settings},
    {"rtsp://", "rtsp", "rtp,udp,tcp", true, no_sink_settings},
    {"rtsps://", "rtsp", "rtp,udp,tcp,tls", true, no_sink_settings},
};

}  // namespace

const Sink* sink_of(std::string_view path) {
    const auto* const found = std::ranges::find_if(
        sinks, [&](const Sink& sink) { return path.size() > sink.prefix.size() && path.starts_with(sink.prefix); });
    return found == std::end(sinks) ? nullptr : found;
}

void check_sink(const OutputOptions& output, bool allow_network) {
    if (sink_of(output.path) != nullptr && !allow_network) {
        throw Error(ExitCode::usage, fmt::format("{}: an address is written to only with --allow-network (a file of "
                                                 "that name: ./{})",
                                                 shown_name(output.path), shown_name(output.path)));
    }
    if (sink_of(output.path) != nullptr && output.two_pass) {
        throw Error(ExitCode::usage, fmt::format("{}: two passes are for files (--two-pass)", shown_name(output.path)));
    }
}

}  // namespace vfilter
