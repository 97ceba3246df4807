#include "io/formats/mask_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "config/error.h"
#include "io/bitstream/png_texts.h"
#include "io/bitstream/svg_images.h"
#include "io/demuxers.h"
#include "io/formats/gray_picture.h"
#include "io/formats/told_scan.h"
#include "io/log/complaints.h"
#include "io/picture_names.h"

namespace vfilter {

namespace {

// Above what the largest mask takes with 16 bits for each of four colours.
constexpr std::uintmax_t max_mask_file = std::uintmax_t{1} << 30U;

void check(const std::string& path, int result) {
    if (result < 0) {
        refuse_mask(path, fmt::format("no picture of at most {} million pixels can be read: {}",
                                      max_mask_pixels / 1'000'000, av_message(result)));
    }
}

// Anything but a regular file could keep the program waiting, or give something else when it is read again.
void check_file(const std::string& path) {
    if (path == "-") {
        refuse_mask(path, "standard input cannot be a mask (./- is a file of that name)");
    }
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found || status.type() == std::filesystem::file_type::none) {
        refuse_mask(path, error ? error.message() : "No such file or directory");
    }
    if (!std::filesystem::is_regular_file(status)) {
        refuse_mask(path, std::filesystem::is_directory(status) ? "a folder, not a file" : "not a regular file");
    }
    if (std::filesystem::file_size(path, error) > max_mask_file) {
        refuse_mask(path, fmt::format("larger than {} MiB", max_mask_file >> 20U));
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
        const std::string excess = excess_of_png([bytes](std::int64_t offset, std::span<std::uint8_t> to) {
            const bool there = avio_seek(bytes, offset, SEEK_SET) == offset;
            return static_cast<std::size_t>(
                std::max(0, there ? avio_read(bytes, to.data(), static_cast<int>(to.size())) : 0));
        });
        if (!excess.empty()) {
            refuse_mask(path, excess);
        }
        avio_seek(bytes, 0, SEEK_SET);
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
        refuse_mask(path, fmt::format("{}x{} pixels; a mask has at most {} million", picture.width, picture.height,
                                      max_mask_pixels / 1'000'000));
    }
}

// An SVG has a limit of its own for images in it.
void check_drawing(const std::string& path, const AVFormatContext& format) {
    if (format.streams[0]->codecpar->codec_id != AV_CODEC_ID_SVG || format.pb == nullptr) {
        return;
    }
    if (!is_name_of_svg(path)) {
        refuse_mask(path, "is an SVG, which is drawn only if its name ends with .svg or .svgz");
    }
    const std::int64_t before = avio_tell(format.pb);
    std::error_code unknown;
    std::vector<std::uint8_t> drawing(
        std::min<std::size_t>(std::filesystem::file_size(path, unknown), max_drawing + 1));
    const bool there = avio_seek(format.pb, 0, SEEK_SET) == 0;
    const int got = there ? avio_read(format.pb, drawing.data(), static_cast<int>(drawing.size())) : 0;
    drawing.resize(static_cast<std::size_t>(std::max(0, got)));
    avio_seek(format.pb, before, SEEK_SET);
    if (const std::string excess = excess_of_svg(drawing, max_mask_pixels); !excess.empty()) {
        refuse_mask(path, excess);
    }
}

// Decodes the streams' beginnings, within the limit too.
void find_streams(const std::string& path, AVFormatContext& format) {
    if (format.nb_streams == 0) {
        refuse_mask(path, "there is no picture at its beginning");
    }
    check_drawing(path, format);
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
    const PngLimit of_texts(format, true);
    const int found = avformat_find_stream_info(&format, options.data());
    for (AVDictionary*& one : options) {
        av_dict_free(&one);
    }
    check(path, found);
}

/// Of one file.
class MaskVideo final : public MaskPictures {
public:
    explicit MaskVideo(const std::string& path) : path_(path), file_(path) {
        AVFormatContext& format = file_.format();
        find_streams(path, format);
        const AVCodec* codec = nullptr;
        stream_ = av_find_best_stream(&format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
        check(path, stream_);
        const AVCodecParameters& parameters = *format.streams[stream_]->codecpar;
        check_pixels(path, parameters);
        for (unsigned i = 0; i < format.nb_streams; ++i) {
            format.streams[i]->discard = static_cast<int>(i) == stream_ ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
        }
        is_still_ = demuxer_facts(*format.iformat).has(input_fact::pictures);
        decoder_.reset(avcodec_alloc_context3(codec));
        if (!decoder_) {
            throw std::bad_alloc();
        }
        check(path, avcodec_parameters_to_context(decoder_.get(), &parameters));
        decoder_->max_pixels = max_mask_pixels;
        decoder_->opaque = this;
        complaints_.listen(this);
        if (!is_still_) {
            complaints_.listen(&format);
        }
        check(path, avcodec_open2(decoder_.get(), codec, nullptr));
    }

    FramePtr next() override {
        FramePtr picture = make_frame();
        for (;;) {
            const int received = avcodec_receive_frame(decoder_.get(), picture.get());
            if (received == 0) {
                check_pixels(path_, *picture);
                const bool damaged = picture->decode_error_flags != 0 ||
                                     (picture->flags & AV_FRAME_FLAG_CORRUPT) != 0 || complaints_.count() > 0;
                if (damaged && is_over()) {
                    return nullptr;
                }
                if (damaged) {
                    refuse_damage(complaint());
                }
                ToldScan(*file_.format().streams[stream_]->codecpar).label(*picture);
                ++count_;
                return picture;
            }
            if (received == AVERROR(ENOMEM)) {
                throw std::bad_alloc();
            }
            if (received == AVERROR_EOF || (received != AVERROR(EAGAIN) && is_over())) {
                if (count_ == 0) {
                    check(path_, received);
                }
                return nullptr;
            }
            if (received != AVERROR(EAGAIN)) {
                check_next(received);
            }
            send_next();
        }
    }

private:
    // What stands behind the picture of a file that holds one does no harm.
    [[nodiscard]] bool is_over() const { return count_ == 1 && is_still_; }

    [[nodiscard]] std::string complaint() const {
        return complaints_.latest().empty() ? "it is damaged" : complaints_.latest();
    }

    // The first picture is read before a run begins; of what is found out later it would be untrue to say that the mask
    // was refused. Another picture in the place of a damaged one would show what was to be hidden.
    [[noreturn]] void refuse_damage(const std::string& what) const {
        if (count_ == 0) {
            refuse_mask(path_, fmt::format("its first picture cannot be had: {}", what));
        }
        throw Error(ExitCode::input, fmt::format("mask={}: picture {} cannot be had: {}", path_, count_ + 1, what));
    }
    void check_next(int result) const {
        if (result < 0 && count_ == 0) {
            check(path_, result);
        }
        if (result < 0) {
            refuse_damage(av_message(result));
        }
    }

    void send_next() {
        AVFormatContext& format = file_.format();
        const int read = av_read_frame(&format, packet_.get());
        // Some demuxers take for the end that nothing can be read.
        const int error = read == AVERROR_EOF && format.pb->error < 0 ? format.pb->error : read;
        if (error != AVERROR_EOF && !is_over()) {
            check_next(error);
        }
        if (read >= 0 && packet_->stream_index != stream_) {
            av_packet_unref(packet_.get());
            return;
        }
        if (read >= 0 && is_png(*format.streams[stream_])) {
            const std::span bytes(packet_->data, static_cast<std::size_t>(packet_->size));
            if (const std::string excess = excess_of_png(bytes); !excess.empty()) {
                refuse_mask(path_, excess);
            }
        }
        if (read >= 0 && (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0 && !is_over()) {
            refuse_damage(complaint());
        }
        const int sent = avcodec_send_packet(decoder_.get(), read >= 0 ? packet_.get() : nullptr);
        av_packet_unref(packet_.get());
        if (sent != AVERROR_EOF && !is_over()) {
            check_next(sent);
        }
    }

    std::string path_;
    MaskFile file_;
    int stream_ = -1;
    bool is_still_ = false;  // a file of one picture, as a rule
    Complaints complaints_;
    CodecContextPtr decoder_;
    PacketPtr packet_ = make_packet();
    std::int64_t count_ = 0;
};

/// Of files with numbers.
class MaskSequence final : public MaskPictures {
public:
    MaskSequence(PictureNames names, std::int64_t first) : names_(std::move(names)), next_(first) {}

    FramePtr next() override {
        const std::string name = names_.path(next_);
        std::error_code unseen;
        if (std::filesystem::symlink_status(name, unseen).type() == std::filesystem::file_type::not_found) {
            if (!existing_numbers(names_, next_).empty()) {
                throw Error(ExitCode::input, fmt::format("mask={}: is missing, and others follow it", name));
            }
            return nullptr;
        }
        ++next_;
        try {
            FramePtr picture = MaskVideo(name).next();
            begun_ = true;
            return picture;
        } catch (const Error& error) {
            throw Error(begun_ ? ExitCode::input : error.code(), error.what());
        }
    }

private:
    PictureNames names_;
    std::int64_t next_;
    bool begun_ = false;  // what is found out later is no mistake on the command line
};

}  // namespace

void refuse_mask(const std::string& path, const std::string& why) {
    throw Error(ExitCode::usage, fmt::format("mask={}: {}", path, why));
}

std::unique_ptr<MaskPictures> open_mask(const std::string& path) {
    std::error_code error;
    const std::optional<PictureNames> names = PictureNames::parse(path);
    if (names && !std::filesystem::exists(path, error)) {
        for (const std::int64_t first : {0, 1}) {
            if (std::filesystem::exists(names->path(first), error)) {
                return std::make_unique<MaskSequence>(*names, first);
            }
        }
    }
    return std::make_unique<MaskVideo>(path);
}

}  // namespace vfilter
