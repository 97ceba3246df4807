#include "io/formats/gray_picture.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <utility>

#include "io/handles.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

// Above what the largest mask takes with 16 bits for each of four colours.
constexpr std::uintmax_t max_mask_file = std::uintmax_t{1} << 30U;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw Error(ExitCode::usage, fmt::format("mask={}: {}", path, why));
}

void check(const std::string& path, int result) {
    if (result < 0) {
        refuse(path, fmt::format("no picture of at most {} million pixels can be read: {}", max_mask_pixels / 1'000'000,
                                 av_message(result)));
    }
}

// Anything but a regular file could keep the program waiting, or give something else when it is read again.
void check_file(const std::string& path) {
    if (path == "-") {
        refuse(path, "standard input cannot be a mask (./- is a file of that name)");
    }
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found || status.type() == std::filesystem::file_type::none) {
        refuse(path, error ? error.message() : "No such file or directory");
    }
    if (!std::filesystem::is_regular_file(status)) {
        refuse(path, std::filesystem::is_directory(status) ? "a folder, not a file" : "not a regular file");
    }
    if (std::filesystem::file_size(path, error) > max_mask_file) {
        refuse(path, fmt::format("larger than {} MiB", max_mask_file >> 20U));
    }
}

// Formats are told by what a file holds and, where that tells nothing, by the end of its name. Of the name nothing else
// is shown to FFmpeg, to which a % in it means a sequence of files.
std::string neutral_name(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    const bool plain =
        std::ranges::all_of(std::string_view(extension).substr(extension.empty() ? 0 : 1), [](char letter) {
            return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                   (letter >= '0' && letter <= '9');
        });
    return "mask" + (plain ? extension : "");
}

/// The opened file of a mask.
class MaskFile {
public:
    explicit MaskFile(const std::string& path) {
        check_file(path);
        Dictionary protocols;
        protocols.set("protocol_whitelist", "file");
        AVIOContext* bytes = nullptr;
        check(path, avio_open2(&bytes, fmt::format("file:{}", path).c_str(), AVIO_FLAG_READ, nullptr, protocols.get()));
        bytes_.reset(bytes);
        format_ = avformat_alloc_context();
        if (format_ == nullptr) {
            throw std::bad_alloc();
        }
        format_->pb = bytes;
        // What the file names besides itself stays closed.
        format_->io_open = [](AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
            return AVERROR(EPERM);
        };
        Dictionary options;
        options.set("format_whitelist", allowed_formats(false));
        check(path, avformat_open_input(&format_, neutral_name(path).c_str(), nullptr, options.get()));
    }
    ~MaskFile() { avformat_close_input(&format_); }
    MaskFile(const MaskFile&) = delete;
    MaskFile& operator=(const MaskFile&) = delete;

    [[nodiscard]] AVFormatContext& format() const { return *format_; }

private:
    struct Close {
        void operator()(AVIOContext* bytes) const { avio_closep(&bytes); }
    };
    std::unique_ptr<AVIOContext, Close> bytes_;  // outlives the format, which reads it
    AVFormatContext* format_ = nullptr;
};

template <class Sized>
void check_pixels(const std::string& path, const Sized& picture) {
    if (std::int64_t{picture.width} * picture.height > max_mask_pixels) {
        refuse(path, fmt::format("{}x{} pixels; a mask has at most {} million", picture.width, picture.height,
                                 max_mask_pixels / 1'000'000));
    }
}

// Decodes the streams' beginnings, within the limit too.
void find_streams(const std::string& path, AVFormatContext& format) {
    if (format.nb_streams == 0) {
        refuse(path, "a video, and no picture; masks that move are not supported yet");
    }
    for (unsigned i = 0; i < format.nb_streams; ++i) {
        check_pixels(path, *format.streams[i]->codecpar);
    }
    const unsigned count = format.nb_streams;
    format.max_streams = static_cast<int>(count);  // one that came later would have no limit
    std::vector<AVDictionary*> options(count, nullptr);
    const std::string limit = std::to_string(max_mask_pixels);
    for (AVDictionary*& one : options) {
        av_dict_set(&one, "max_pixels", limit.c_str(), 0);
    }
    const int found = avformat_find_stream_info(&format, options.data());
    for (AVDictionary*& one : options) {
        av_dict_free(&one);
    }
    check(path, found);
}

// The one picture of the file.
FramePtr read_picture(const std::string& path) {
    const MaskFile file(path);
    AVFormatContext& format = file.format();
    find_streams(path, format);
    const AVCodec* codec = nullptr;
    const int stream = av_find_best_stream(&format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    check(path, stream);
    const AVCodecParameters& parameters = *format.streams[stream]->codecpar;
    check_pixels(path, parameters);
    for (unsigned i = 0; i < format.nb_streams; ++i) {
        format.streams[i]->discard = static_cast<int>(i) == stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    }
    const CodecContextPtr decoder(avcodec_alloc_context3(codec));
    check(path, avcodec_parameters_to_context(decoder.get(), &parameters));
    decoder->max_pixels = max_mask_pixels;
    check(path, avcodec_open2(decoder.get(), codec, nullptr));
    FramePtr picture;
    FramePtr next = make_frame();
    const PacketPtr packet = make_packet();
    bool more = true;
    for (;;) {
        const int received = avcodec_receive_frame(decoder.get(), next.get());
        if (received == 0) {
            if (picture) {
                refuse(path, "holds more than one picture; masks that move are not supported yet");
            }
            picture = std::exchange(next, make_frame());
            check_pixels(path, *picture);
            continue;
        }
        if (received != AVERROR(EAGAIN) || !more) {
            if (picture) {
                return picture;
            }
            check(path, received);
        }
        more = av_read_frame(&format, packet.get()) >= 0;
        if (!more || packet->stream_index == stream) {
            const int sent = avcodec_send_packet(decoder.get(), more ? packet.get() : nullptr);
            // After the picture, whatever is no other one does no harm.
            if (!picture) {
                check(path, sent);
            }
        }
        av_packet_unref(packet.get());
    }
}

// One step of swscale to a format of that size, in full range.
FramePtr scale(const std::string& path, const AVFrame& from, int width, int height, AVPixelFormat format, int flags) {
    FramePtr to = make_frame();
    to->width = width;
    to->height = height;
    to->format = format;
    av_check(av_frame_get_buffer(to.get(), 0), "av_frame_get_buffer");
    const SwsPtr context(sws_getContext(from.width, from.height, static_cast<AVPixelFormat>(from.format), width, height,
                                        format, flags | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, nullptr,
                                        nullptr, nullptr));
    if (!context) {
        refuse(path, "its pixel format cannot be converted to grey");
    }
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(from.format));
    const bool full =
        from.color_range == AVCOL_RANGE_JPEG || (d->flags & AV_PIX_FMT_FLAG_RGB) != 0 || d->nb_components < 3;
    const int* const table = sws_getCoefficients(SWS_CS_DEFAULT);
    sws_setColorspaceDetails(context.get(), table, full ? 1 : 0, table, 1, 0, 1 << 16, 1 << 16);
    check(path, sws_scale(context.get(), from.data, from.linesize, 0, from.height, to->data, to->linesize));
    return to;
}

}  // namespace

std::vector<std::uint8_t> read_gray_picture(const std::string& path, int width, int height) {
    const FramePtr picture = read_picture(path);
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture->format));
    const bool alpha = d != nullptr && (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    // Grey first, then its size: a mask of the frame's own size is not resampled at all.
    FramePtr grey = scale(path, *picture, picture->width, picture->height, AV_PIX_FMT_GRAY8, SWS_POINT);
    if (alpha) {
        const FramePtr rgba = scale(path, *picture, picture->width, picture->height, AV_PIX_FMT_RGBA, SWS_POINT);
        for (int y = 0; y < grey->height; ++y) {
            std::uint8_t* const row = grey->data[0] + std::ptrdiff_t{grey->linesize[0]} * y;
            const std::uint8_t* const with_alpha = rgba->data[0] + std::ptrdiff_t{rgba->linesize[0]} * y;
            for (int x = 0; x < grey->width; ++x) {
                row[x] = static_cast<std::uint8_t>((row[x] * with_alpha[4 * x + 3] + 127) / 255);
            }
        }
    }
    grey->color_range = AVCOL_RANGE_JPEG;
    if (grey->width != width || grey->height != height) {
        grey = scale(path, *grey, width, height, AV_PIX_FMT_GRAY8, SWS_BILINEAR);
    }
    std::vector<std::uint8_t> samples;
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* const row = grey->data[0] + std::ptrdiff_t{grey->linesize[0]} * y;
        samples.insert(samples.end(), row, row + width);
    }
    return samples;
}

void check_picture(const std::string& path) {
    read_picture(path);
}

}  // namespace vfilter
