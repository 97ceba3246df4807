#include "io/output/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "config/error.h"

namespace vfilter {

namespace {

constexpr std::array<SourceSetting, 2> no_sink_settings{};
// The trailer would go back to the header, which an address cannot.
constexpr std::array<SourceSetting, 2> flv_settings{{{"flvflags", "no_duration_filesize"}, {}}};
// Players that join later need the tables again.
constexpr std::array<SourceSetting, 2> mpegts_settings{{{"mpegts_flags", "resend_headers"}, {}}};

// Over TCP nothing is lost unseen.
constexpr std::array<SourceSetting, 2> announced_settings{{{"rtsp_transport", "tcp"}, {}}};

//   prefix, muxer, protocols, kind, settings
constexpr Sink sinks[] = {
    {"/dev/video", "rawvideo", "", Sink::Kind::camera, no_sink_settings},
    {"/dev/v4l/", "rawvideo", "", Sink::Kind::camera, no_sink_settings},
    {"rtmp://", "flv", "rtmp,tcp", Sink::Kind::address, flv_settings},
    {"rtmps://", "flv", "rtmps,tls,tcp", Sink::Kind::address, flv_settings},
    // Or else what was sent last is lost when it is closed.
    {"srt://", "mpegts", "srt", Sink::Kind::address, mpegts_settings, {"linger", "2"}},
    {"udp://", "mpegts", "udp", Sink::Kind::address, mpegts_settings},
    {"tcp://", "mpegts", "tcp", Sink::Kind::address, mpegts_settings},
    {"rtp://", "rtp_mpegts", "rtp,udp", Sink::Kind::address, no_sink_settings},
    {"rtsp://", "rtsp", "rtp,udp,tcp", Sink::Kind::announced, announced_settings},
    {"rtsps://", "rtsp", "rtp,udp,tcp,tls", Sink::Kind::announced, announced_settings},
};

}  // namespace

const Sink* sink_of(std::string_view path) {
    const auto* const found = std::ranges::find_if(
        sinks, [&](const Sink& sink) { return path.size() > sink.prefix.size() && path.starts_with(sink.prefix); });
    return found == std::end(sinks) ? nullptr : found;
}

bool is_streamed(const OutputOptions& output) {
    return output.format != "null" && sink_of(output.path) != nullptr;
}

void check_sink(const OutputOptions& output, const InputOptions& input) {
    const Sink* const sink = sink_of(output.path);
    const std::string name = shown_name(output.path);
    // Unless there is no reason.
    const auto refuse = [&](std::string_view why) {
        if (!why.empty()) {
            throw Error(ExitCode::usage, fmt::format("{}: {}", name, why));
        }
    };
    if (sink == nullptr) {
        refuse(why_unknown(output.path, "sent to", addresses_among(sinks)));
        return;
    }
    if (!sink->camera() && !input.allow_network) {
        refuse(fmt::format("an address is written to only with --allow-network (a file of that name: ./{})", name));
    }
    if (!sink->camera()) {
        refuse(why_no_port(output.path));
    }
    if (output.two_pass) {
        refuse("two passes are for files (--two-pass)");
    }
    if (sink->camera() && !output.format.empty()) {
        refuse("a virtual camera takes pictures without a container: --format cannot be given");
    }
    if (sink->camera() && input.reconnect > 0 && !reopens(input)) {
        refuse("--reconnect is for addresses, and not for virtual cameras");
    }
    std::error_code error;
    if (sink->camera() && std::filesystem::equivalent(input.path, output.path, error)) {
        refuse("input and output are the same device");
    }
}

}  // namespace vfilter
