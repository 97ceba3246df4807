#include "io/input/opening_settings.h"

extern "C" {
#include <libavutil/parseutils.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/compat.h"
#include "io/demuxers.h"
#include "io/input/camera.h"
#include "io/input/input_reach.h"
#include "io/source.h"

namespace vfilter {

namespace {

// "50000/1000" as "50", and what is no whole number in brackets.
std::string rate_for_setpts(const std::string& framerate) {
    AVRational rate{0, 1};
    if (av_parse_video_rate(&rate, framerate.c_str()) < 0) {
        return framerate;
    }
    return rate.den == 1 ? fmt::format("{}", rate.num) : fmt::format("({}/{})", rate.num, rate.den);
}

// A matrix that stretches pictures FFmpeg has made the shape of their pixels, unless the file tells another one:
// whoever wrote both would have players stretch twice. What is left of it turns or mirrors.
void forget_stretch(const AVStream& stream) {
    constexpr std::int32_t one = 1 << 16;
    constexpr double tolerance = 0.001;
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        std::array<std::int32_t, 9> matrix{};
        if (data.type != AV_PKT_DATA_DISPLAYMATRIX || data.size < sizeof(matrix)) {
            return;
        }
        std::memcpy(matrix.data(), data.data, sizeof(matrix));
        std::int32_t& across = matrix[0];
        std::int32_t& down = matrix[4];
        const AVRational shape = stream.sample_aspect_ratio;
        if (matrix[1] != 0 || matrix[3] != 0 || across == 0 || down == 0 || shape.num <= 0 || shape.num == shape.den) {
            return;
        }
        const double stretch = std::abs(static_cast<double>(across) / down);
        if (std::abs(stretch / av_q2d(shape) - 1) < tolerance) {
            across = across > 0 ? one : -one;
            down = down > 0 ? one : -one;
            std::memcpy(data.data, matrix.data(), sizeof(matrix));
        }
    });
}

void choose_camera_mode(const InputOptions& options, Dictionary& settings) {
    CameraWish wish{.fps = options.camera_fps};
    if (!options.camera_size.empty()) {
        const std::string& size = options.camera_size;
        wish.width = std::stoi(size);
        wish.height = std::stoi(size.substr(size.find('x') + 1));
    }
    const std::vector<CameraMode> modes = read_modes(options.path, wish);
    const std::optional<CameraMode> mode = choose_mode(modes, wish);
    if (!mode && !modes.empty()) {
        throw Error(ExitCode::usage, fmt::format("--camera-size: {} has no pictures of {} (see --list cameras)",
                                                 options.path, options.camera_size));
    }
    if (!mode) {
        return;  // it does not say what it can: it gets the wishes as they are
    }
    settings.set("input_format", mode->format);
    settings.set("video_size", fmt::format("{}x{}", mode->width, mode->height));
    const double rate = av_q2d(mode->rate);
    if (mode->rate.num > 0) {
        settings.set("framerate", fmt::format("{}/{}", mode->rate.num, mode->rate.den));
    }
    spdlog::info("{}: {}x{}, {:.4g} fps, {}", options.path, mode->width, mode->height, rate, mode->format);
    constexpr double near_enough = 0.98;
    if (wish.fps && rate < *wish.fps * near_enough) {
        spdlog::warn("{}: {:.4g} pictures per second are the most at this size", options.path, rate);
    }
}

}  // namespace

std::string url_of(const InputOptions& options, const Source& source) {
    const std::string url = options.path.substr(source.keeps_prefix ? 0 : source.prefix.size());
    if (source.prefix.empty()) {
        return options.path == "-" ? "stdin" : "file:" + url;
    }
    return source.format == "sdp" ? "file:" + url : url;  // a file that names the addresses
}

const AVInputFormat* named_format(const InputOptions& options, const Source& source) {
    const std::string name = source.format.empty() ? options.format : std::string(source.format);
    const AVInputFormat* const format = name.empty() ? nullptr : av_find_input_format(name.c_str());
    if (format != nullptr || name.empty()) {
        return format;
    }
    if (!source.format.empty()) {
        throw Error(ExitCode::input,
                    fmt::format("{}: this FFmpeg is built without {}", shown_name(options.path), name));
    }
    throw Error(ExitCode::usage, fmt::format("--input-format: FFmpeg knows no format '{}'", name));
}

// The user's win over all but what keeps other files closed, which --allow-files and --allow-network open.
void choose_settings(const InputRequest& options, const Source& source, Dictionary& settings) {
    check_reach(options);
    settings.set("protocol_whitelist", std::string(source.protocols));
    std::string allowed = allowed_formats(!options.format.empty());
    for (const std::string_view more : {std::string_view(source.format), source.playlists}) {
        allowed += more.empty() ? "" : "," + std::string(more);
    }
    settings.set("format_whitelist", allowed);
    for (const SourceSetting& setting : source.settings) {
        if (!setting.key.empty()) {
            settings.set(std::string(setting.key), std::string(setting.value));
        }
    }
    if (source.sized() && !options.camera_size.empty()) {
        settings.set("video_size", options.camera_size);
    }
    if (source.sized() && options.camera_fps) {
        settings.set("framerate", fmt::format("{}", *options.camera_fps));
    }
    if (!options.framerate.empty()) {
        settings.set("framerate", options.framerate);  // of single pictures, and of streams without a clock
    }
    if (source.format == "v4l2") {
        choose_camera_mode(options, settings);
    }
    for (const auto& [key, value] : options.input_options) {
        settings.set(key, value);
    }
    // Of FFmpeg's own accord pictures with such names would be a sequence of other files.
    settings.set("pattern_type", "none");
}

// ISO/IEC 14496-12, 8.4.2.3: all bits of a duration say that nobody knows it, as of fragments that were still to
// come. FFmpeg takes it for one.
void mend_movie(AVFormatContext& format) {
    if (!demuxer_facts(*format.iformat).has(input_fact::movie)) {
        return;
    }
    bool unknown = false;
    for (AVStream* const stream : std::span(format.streams, format.nb_streams)) {
        forget_stretch(*stream);
        if (stream->duration == UINT32_MAX) {
            stream->duration = AV_NOPTS_VALUE;
            unknown = true;
        }
    }
    if (unknown) {
        format.duration = AV_NOPTS_VALUE;  // made of those
    }
}

void check_settings(const InputRequest& options, const AVInputFormat& format, Dictionary& left) {
    const auto is_left = [&](const std::string& key) {
        return av_dict_get(*left.get(), key.c_str(), nullptr, 0) != nullptr;
    };
    const std::string name = shown_name(options.path);
    for (const auto& [key, value] : options.input_options) {
        if (is_left(key)) {
            throw Error(ExitCode::usage, options.beside
                                             ? fmt::format("--add-option: {} has no option '{}'; @N:{}=VALUE is one of "
                                                           "the Nth file that is added",
                                                           name, key, key)
                                             : fmt::format("--input-option: {} has no option '{}'", name, key));
        }
    }
    if (!options.framerate.empty() && is_left("framerate")) {
        throw Error(ExitCode::usage,
                    fmt::format("{0}: {2}; --framerate is for pictures. --vf setpts=N/{1}/TB shows "
                                "its pictures at that rate, and --af atempo=N makes the sound so many times as fast",
                                name, rate_for_setpts(options.framerate),
                                has_no_times(format, options.input_options) ? "takes no rate, though it has no times"
                                                                            : "has a rate of its own"));
    }
}

// What it reads meanwhile is kept in memory. In a transport stream it would take the first table of programs for
// the only one.
void look_farther(InputOptions& options, const AVInputFormat& format) {
    OptionPairs more = {{"analyzeduration", "60000000"}, {"probesize", "200000000"}};
    if (is_transport_stream(format)) {
        more.emplace_back("scan_all_pmts", "1");
    }
    for (const auto& option : more) {
        if (find_option(options.input_options, option.first) == nullptr) {
            options.input_options.push_back(option);
        }
    }
}

}  // namespace vfilter
