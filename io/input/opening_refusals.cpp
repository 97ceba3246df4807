#include "io/input/opening_refusals.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "io/bitstream/bytes.h"
#include "io/bitstream/png_texts.h"
#include "io/demuxers.h"
#include "io/input/file_boxes.h"
#include "io/source.h"

namespace vfilter {

std::string too_many_streams() {
    return fmt::format("has more than {} streams, which is the limit", max_input_streams);
}

void check_y4m_size(const InputOptions& options, const AVInputFormat& format, std::span<const std::uint8_t> beginning) {
    if (!demuxer_facts(format).has(input_fact::y4m)) {
        return;
    }
    const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
    const std::string_view header = text.substr(0, text.find('\n'));
    const auto side = [&](std::string_view mark) {
        const std::size_t at = header.find(mark);
        double value = 0;
        if (at != std::string_view::npos) {
            std::from_chars(header.data() + at + mark.size(), header.data() + header.size(), value);
        }
        return value;
    };
    const bool complete = header.size() < text.size();  // where a format was asked for nothing was read yet
    if (complete && (side(" W") < 1 || side(" H") < 1)) {
        throw Error(ExitCode::input,
                    fmt::format("{}: the header of y4m tells no size of the pictures", shown_name(options.path)));
    }
    if (const double pixels = side(" W") * side(" H"); pixels > static_cast<double>(options.max_pixels)) {
        throw Error(
            ExitCode::input,
            fmt::format(
                "{}: pictures of {:.4g} Mpixel are larger than {:.4g} Mpixel, the limit, which --max-pixels raises",
                shown_name(options.path), 1e-6 * pixels, 1e-6 * static_cast<double>(options.max_pixels)));
    }
}

void tell_bare_stream(const InputOptions& options, const AVInputFormat& format) {
    constexpr std::array<std::string_view, 17> containers{".mkv", ".webm", ".mp4",  ".mov", ".avi", ".mxf",
                                                          ".gxf", ".ts",   ".m2ts", ".mts", ".flv", ".wmv",
                                                          ".asf", ".ogv",  ".nut",  ".3gp", ".rm"};
    std::string name = std::filesystem::path(options.path).extension().string();
    std::ranges::transform(name, name.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    if (demuxer_facts(format).has(input_fact::bare) && std::ranges::find(containers, name) != containers.end()) {
        spdlog::warn(
            "{}: is read as a bare stream ({}) and not as the container that its name suggests, so any "
            "other streams in it are missed",
            shown_name(options.path), format.name);
    }
}

void OpenGuard::close_others(AVFormatContext& format, const std::string& url) {
    using OpenFunction = decltype(AVFormatContext::io_open);
    own_url_ = url;
    static const OpenFunction usual = format.io_open;
    format.opaque = this;
    format.io_open = [](AVFormatContext* opened, AVIOContext** bytes, const char* other, int flags,
                        AVDictionary** settings) {
        const auto* const self = static_cast<const OpenGuard*>(opened->opaque);
        const bool own = other == self->own_url_ && (flags & AVIO_FLAG_WRITE) == 0;
        return own ? usual(opened, bytes, other, flags, settings) : AVERROR(EPERM);
    };
}

void refuse_picture(const InputOptions& options, const std::string& why) {
    if (!why.empty()) {
        throw Error(ExitCode::input, fmt::format("{}: {}", shown_name(options.path), why));
    }
}

void check_pictures(const InputOptions& options, const InputBytes& bytes) {
    if (bytes.seekable()) {
        const auto read = [&bytes](std::int64_t offset, std::span<std::uint8_t> to) {
            return bytes.read_at(offset, to);
        };
        refuse_picture(options, excess_of_png(read));
        refuse_picture(options, unread_heif(read));
    }
}

namespace {

constexpr std::string_view facts_of_raw_pictures =
    "raw pictures say nothing of themselves: --input-format rawvideo --input-option video_size=WIDTHxHEIGHT, and "
    "--input-option pixel_format=NAME --input-option framerate=RATE where they are not yuv420p at 25";

// What raw pictures, which a file's name or --input-format makes of an input, have to be told with them; "" if all is.
std::string missing_facts(const InputOptions& options) {
    const AVInputFormat* const raw = av_find_input_format("rawvideo");
    const bool named = options.format.empty() && raw != nullptr &&
                       av_match_ext(options.path.c_str(), raw->extensions != nullptr ? raw->extensions : "") != 0;
    const bool sized = find_option(options.input_options, "video_size") != nullptr;
    return (named || options.format == "rawvideo") && !sized ? std::string(facts_of_raw_pictures) : "";
}

}  // namespace

void check_raw_pictures(const InputOptions& options, const AVFormatContext& format) {
    const auto is_unknown = [](const AVStream* stream) {
        return stream->codecpar->codec_id == AV_CODEC_ID_RAWVIDEO && stream->codecpar->format == AV_PIX_FMT_NONE;
    };
    if (demuxer_facts(*format.iformat).has(input_fact::pictures | input_fact::raw) &&
        std::ranges::any_of(std::span(format.streams, format.nb_streams), is_unknown)) {
        refuse_picture(options, std::string(facts_of_raw_pictures));
    }
}

namespace {

// What is known of the input without FFmpeg; "" where that is no reason.
std::string reason_in_input(const InputOptions& options, const FailedOpening& failed) {
    if (failed.timed_out) {
        return fmt::format("nothing came for {:g} s", options.timeout);
    }
    if (std::string missing = missing_facts(options); failed.error == AVERROR(EINVAL) && !missing.empty()) {
        return missing;
    }
    std::error_code unknown;
    if (source_of(options.path).prefix.empty() && std::filesystem::is_regular_file(options.path, unknown) &&
        std::filesystem::is_empty(options.path, unknown)) {
        return "the file is empty";
    }
    constexpr std::string_view vobsub = "# VobSub index file";
    std::array<std::uint8_t, vobsub.size()> begin{};
    if (failed.bytes != nullptr && text(Bytes(begin).first(failed.bytes->read_at(0, begin))) == vobsub) {
        return "the index of VobSub, whose pictures lie in another file, which nobody has named: ffmpeg -i FILE.idx "
               "-map 0 -c copy FILE.mkv puts both into one";
    }
    return "";
}

// What was said or found while it was opened; "" where that is no reason.
std::string reason_in_opening(const InputOptions& options, const FailedOpening& failed) {
    const std::string& complaint = failed.complaint;
    if (complaint.find("max_streams") != std::string::npos) {
        return too_many_streams();
    }
    const Source& source = source_of(options.path);
    if (source.sound() && !complaint.empty()) {
        return complaint;  // all errors have one number there
    }
    if (!failed.missing.empty()) {
        return failed.missing;
    }
    if (failed.scrambled) {
        return "it is scrambled, as its packets say, and cannot be read so";
    }
    if (failed.bytes != nullptr && failed.bytes->outgrew()) {
        return fmt::format("a GIF of more than {} MiB can only be read from a file", max_piped_gif >> 20);
    }
    if (complaint.find("without an SDP file") != std::string::npos) {
        return "RTP by itself only identifies MPEG-TS, MPEG video and MPEG audio; for anything else give "
               "the sender's description (SDP) as sdp:FILE";
    }
    if (source.prefix.empty() && options.path.ends_with(".sdp")) {
        return fmt::format("a description of RTP, which sdp:{} reads with --allow-network", options.path);
    }
    if ((failed.error == AVERROR_INVALIDDATA || failed.error == AVERROR_PATCHWELCOME) && !complaint.empty()) {
        return fmt::format("{} ({})", av_message(failed.error), complaint);
    }
    if (source.format == "x11grab" && complaint.find("outside the screen") != std::string::npos) {
        return fmt::format("{}; --camera-size WIDTHxHEIGHT grabs less", complaint);
    }
    return "";
}

}  // namespace

std::string why_not_opened(const InputRequest& options, const FailedOpening& failed) {
    if (std::string why = reason_in_input(options, failed); !why.empty()) {
        return why;
    }
    if (std::string why = reason_in_opening(options, failed); !why.empty()) {
        return why;
    }
    const int error = failed.error;
    const Source& source = source_of(options.path);
    if (error == AVERROR_EOF) {
        return "the file, or what FFmpeg reads of it, ends before there is any video";
    }
    const bool invalid = error == AVERROR(EINVAL);
    const std::string_view hint =
        invalid && !options.input_options.empty()
            ? (options.beside ? " (or --add-option has a wrong value)" : " (or --input-option has a wrong value)")
        : invalid && source.prefix.empty()
            ? " (a playlist, or not a video file; of raw pictures --input-format and --input-option say what they "
              "are)"
        : error == AVERROR(EIO) && source.format == "x11grab" ? " (no such display, or no access to it)"
                                                              : "";
    return av_message(error) + std::string(hint);
}

}  // namespace vfilter
