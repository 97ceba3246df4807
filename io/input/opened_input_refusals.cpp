// Why an input is not opened: what FFmpeg says of it, or does not say, and what it is not to open.

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
#include "io/input/opened_input.h"
#include "io/source.h"

namespace vfilter {

std::string OpenedInput::too_many_streams() {
    return fmt::format("has more than {} streams, which is the limit", max_streams);
}

// Its demuxer counts the bytes of a picture in 32 bits, and says of larger ones only that something is wrong.
void OpenedInput::check_y4m_size(const AVInputFormat& format, std::span<const std::uint8_t> beginning) const {
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
                    fmt::format("{}: the header of y4m tells no size of the pictures", shown_name(options_.path)));
    }
    if (const double pixels = side(" W") * side(" H"); pixels > static_cast<double>(options_.max_pixels)) {
        throw Error(
            ExitCode::input,
            fmt::format(
                "{}: pictures of {:.4g} Mpixel are larger than {:.4g} Mpixel, the limit, which --max-pixels raises",
                shown_name(options_.path), 1e-6 * pixels, 1e-6 * static_cast<double>(options_.max_pixels)));
    }
}

// The beginning of a container may be so damaged that FFmpeg takes what is in it for a stream without one: it finds
// that stream alone.
void OpenedInput::tell_bare_stream(const AVInputFormat& format) const {
    constexpr std::array<std::string_view, 17> containers{".mkv", ".webm", ".mp4",  ".mov", ".avi", ".mxf",
                                                          ".gxf", ".ts",   ".m2ts", ".mts", ".flv", ".wmv",
                                                          ".asf", ".ogv",  ".nut",  ".3gp", ".rm"};
    std::string name = std::filesystem::path(options_.path).extension().string();
    std::ranges::transform(name, name.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    if (demuxer_facts(format).has(input_fact::bare) && std::ranges::find(containers, name) != containers.end()) {
        spdlog::warn(
            "{}: is read as a bare stream ({}) and not as the container that its name suggests, so any "
            "other streams in it are missed",
            shown_name(options_.path), format.name);
    }
}

// What a file names besides itself stays closed. FFmpeg opens by their names pictures that it knows by them alone, and
// addresses.
void OpenedInput::open_nothing_else(const std::string& url) {
    using OpenFunction = decltype(AVFormatContext::io_open);
    own_url_ = url;
    static const OpenFunction usual = format_->io_open;
    format_->opaque = this;
    format_->io_open = [](AVFormatContext* format, AVIOContext** bytes, const char* other, int flags,
                          AVDictionary** settings) {
        const auto* const self = static_cast<const OpenedInput*>(format->opaque);
        const bool own = other == self->own_url_ && (flags & AVIO_FLAG_WRITE) == 0;
        return own ? usual(format, bytes, other, flags, settings) : AVERROR(EPERM);
    };
}

void OpenedInput::refuse_picture(const std::string& why) const {
    if (!why.empty()) {
        throw Error(ExitCode::input, fmt::format("{}: {}", shown_name(options_.path), why));
    }
}

// Of a file as a whole, PNG and HEIF. FFmpeg decodes the first picture of a pipe, and of a video, before anybody else
// sees it.
void OpenedInput::check_pictures() {
    if (bytes_->seekable()) {
        const auto read = [this](std::int64_t offset, std::span<std::uint8_t> to) {
            return bytes_->read_at(offset, to);
        };
        refuse_picture(excess_of_png(read));
        refuse_picture(unread_heif(read));
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

// A name alone makes them of some files, of which no container tells what they are.
void OpenedInput::check_raw_pictures() const {
    const auto is_unknown = [](const AVStream* stream) {
        return stream->codecpar->codec_id == AV_CODEC_ID_RAWVIDEO && stream->codecpar->format == AV_PIX_FMT_NONE;
    };
    if (demuxer_facts(*format_->iformat).has(input_fact::pictures | input_fact::raw) &&
        std::ranges::any_of(std::span(format_->streams, format_->nb_streams), is_unknown)) {
        refuse_picture(std::string(facts_of_raw_pictures));
    }
}

std::string OpenedInput::why_not_opened(int error) const {
    if (timed_out_) {
        return fmt::format("nothing came for {:g} s", options_.timeout);
    }
    if (std::string missing = missing_facts(options_); error == AVERROR(EINVAL) && !missing.empty()) {
        return missing;
    }
    std::error_code unknown;
    if (source_of(options_.path).prefix.empty() && std::filesystem::is_regular_file(options_.path, unknown) &&
        std::filesystem::is_empty(options_.path, unknown)) {
        return "the file is empty";
    }
    constexpr std::string_view vobsub = "# VobSub index file";
    std::array<std::uint8_t, vobsub.size()> begin{};
    if (bytes_ && text(Bytes(begin).first(bytes_->read_at(0, begin))) == vobsub) {
        return "the index of VobSub, whose pictures lie in another file, which nobody has named: ffmpeg -i FILE.idx "
               "-map 0 -c copy FILE.mkv puts both into one";
    }
    if (complaints_.latest().find("max_streams") != std::string::npos) {
        return too_many_streams();
    }
    const Source& source = source_of(options_.path);
    if (source.sound() && !complaints_.latest().empty()) {
        return complaints_.latest();  // all errors have one number there
    }
    if (!parts_.first().empty()) {
        return parts_.first();
    }
    if (format_ != nullptr && std::ranges::any_of(std::span(format_->streams, format_->nb_streams),
                                                  [&](const AVStream* stream) { return is_scrambled(*stream); })) {
        return "it is scrambled, as its packets say, and cannot be read so";
    }
    if (bytes_ && bytes_->outgrew()) {
        return fmt::format("a GIF of more than {} MiB can only be read from a file", max_piped_gif >> 20);
    }
    if (complaints_.latest().find("without an SDP file") != std::string::npos) {
        return "RTP by itself only identifies MPEG-TS, MPEG video and MPEG audio; for anything else give "
               "the sender's description (SDP) as sdp:FILE";
    }
    if (source.prefix.empty() && options_.path.ends_with(".sdp")) {
        return fmt::format("a description of RTP, which sdp:{} reads with --allow-network", options_.path);
    }
    if ((error == AVERROR_INVALIDDATA || error == AVERROR_PATCHWELCOME) && !complaints_.latest().empty()) {
        return fmt::format("{} ({})", av_message(error), complaints_.latest());
    }
    if (source.format == "x11grab" && complaints_.latest().find("outside the screen") != std::string::npos) {
        return fmt::format("{}; --camera-size WIDTHxHEIGHT grabs less", complaints_.latest());
    }
    if (error == AVERROR_EOF) {
        return "the file, or what FFmpeg reads of it, ends before there is any video";
    }
    const bool invalid = error == AVERROR(EINVAL);
    const std::string_view hint =
        invalid && !options_.input_options.empty()
            ? (options_.beside ? " (or --add-option has a wrong value)" : " (or --input-option has a wrong value)")
        : invalid && source.prefix.empty()
            ? " (a playlist, or not a video file; of raw pictures --input-format and --input-option say what they "
              "are)"
        : error == AVERROR(EIO) && source.format == "x11grab" ? " (no such display, or no access to it)"
                                                              : "";
    return av_message(error) + std::string(hint);
}

}  // namespace vfilter
