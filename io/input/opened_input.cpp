#include "io/input/opened_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <new>
#include <span>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "io/bitstream/png_texts.h"
#include "io/demuxers.h"
#include "io/device_library.h"
#include "io/folder_names.h"
#include "io/input/picture_says.h"
#include "io/packet_times.h"
#include "io/source.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds camera_poll{100};
constexpr milliseconds camera_poll_opening{20};
constexpr milliseconds nap{2};
// What has no bytes to count (RTSP opens by asking to and fro) gets so much more while it is opened.
constexpr std::chrono::seconds opening_allowance{10};

// FFmpeg's own descriptor of a camera, which it does not tell: the one that is open on the same device. -1 if there is
// none.
int find_descriptor(const std::string& path) {
    struct stat wanted {};
    if (stat(path.c_str(), &wanted) != 0) {
        return -1;
    }
    int descriptor = -1;
    for_each_name("/proc/self/fd", [&](const std::string& name) {
        int number = -1;
        struct stat found {};
        std::from_chars(name.data(), name.data() + name.size(), number);
        if (number >= 0 && fstat(number, &found) == 0 && S_ISCHR(found.st_mode) && found.st_rdev == wanted.st_rdev) {
            descriptor = number;
        }
    });
    return descriptor;
}

// A camera's packets are the driver's buffers: they would not outlive its closing, and while they are held it has
// fewer.
void make_own(AVPacket& packet) {
    PacketPtr copy = make_packet();
    if (av_new_packet(copy.get(), packet.size) < 0) {
        throw std::bad_alloc();
    }
    if (packet.size > 0) {
        std::copy_n(packet.data, packet.size, copy->data);
    }
    av_check(av_packet_copy_props(copy.get(), &packet), "av_packet_copy_props");
    av_packet_unref(&packet);
    av_packet_move_ref(&packet, copy.get());
}

// For guessing by the name: without what FFmpeg takes for the pattern of a sequence. Names are names.
std::string plain_name(std::string name) {
    std::ranges::replace_if(
        name, [](char letter) { return std::string_view("%*?{}[]").find(letter) != std::string_view::npos; }, '_');
    return name;
}

}  // namespace

OpenedInput::OpenedInput(const InputOptions& options, const std::function<bool()>& interrupted)
    : options_(options), interrupted_(interrupted) {
    try {
        const MissingParts::Hearing hearing(parts_);
        open();
        parts_.opened();
        check_strictly(lasting_damage());
    } catch (...) {
        avformat_close_input(&format_);
        throw;
    }
    opening_ = false;
}

OpenedInput::~OpenedInput() {
    avformat_close_input(&format_);
}

bool OpenedInput::stop() {
    if (interrupted_()) {
        return true;
    }
    if (opening_ && camera_ >= 0) {
        wait_for_camera(camera_poll_opening);  // FFmpeg, looking at the first pictures, asks in a loop
    }
    if (patience_ == Clock::duration::zero()) {
        return false;
    }
    const bool countable = format_ != nullptr && format_->pb != nullptr;
    if (countable && format_->pb->bytes_read != heard_bytes_) {
        heard_bytes_ = format_->pb->bytes_read;
        heard_ = attended_.look();
    }
    const Clock::duration allowed = opening_ && !countable && !bytes_ ? patience_ + opening_allowance : patience_;
    timed_out_ = timed_out_ || attended_.look() - heard_ > allowed;
    return timed_out_;
}

void OpenedInput::wait_for_camera(milliseconds max_wait) const {
    pollfd waiting{camera_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(max_wait.count()));
    if (ready < 0 || (ready > 0 && (waiting.revents & POLLIN) == 0)) {
        std::this_thread::sleep_for(nap);  // in error: reading tells, or it passes
    }
}

void OpenedInput::make_context() {
    format_ = avformat_alloc_context();
    if (format_ == nullptr) {
        throw std::bad_alloc();
    }
    const auto ask = [](void* self) { return static_cast<OpenedInput*>(self)->stop() ? 1 : 0; };
    format_->interrupt_callback = {ask, this};
    format_->max_streams = max_streams;
    complaints_.listen(format_);
}

void OpenedInput::open() {
    const Source& source = source_of(options_.path);
    make_context();
    const std::string url = url_of(source);
    if (source.prefix.empty()) {
        bytes_ = std::make_unique<InputBytes>(options_.path, [this] {
            return !stop() ? 0 : timed_out_ ? AVERROR(ETIMEDOUT) : AVERROR_EOF;
        });
        if (options_.sha256) {
            bytes_->sum();
        }
    }
    if (is_live(options_) || source.network() || is_pipe()) {
        patience_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.timeout));
    }
    if (source.device()) {
        load_device_library(shown_name(options_.path));
    }
    const AVInputFormat* format = named_format(source);
    Dictionary settings;
    choose_settings(source, settings);
    heard_ = attended_.look();
    if (source.playlists.empty()) {
        open_nothing_else(url);
    }
    if (bytes_) {
        open_bytes(url, format);
    }
    const AVFormatContext* const first = format_;
    int opened = avformat_open_input(&format_, url.c_str(), format, settings.get());
    if (opened < 0 && opened != AVERROR_EXIT && lies_elsewhere(format)) {
        complaints_.forget(first);
        opened = open_as_it_comes(source, url, *format, settings);
    }
    if (opened < 0) {
        throw Error(ExitCode::input, fmt::format("{}: {}", shown_name(options_.path), why_not_opened(opened)));
    }
    check_settings(settings);
    camera_ = lends_buffers_ ? find_descriptor(options_.path) : -1;
    find_streams();
    read_unread();
    note_scrambled();
}

// MXF tells where its parts lie. Where that is wrong its demuxer refuses what it reads well as it comes, from a pipe.
bool OpenedInput::lies_elsewhere(const AVInputFormat* format) const {
    return format != nullptr && demuxer_facts(*format).has(input_fact::elsewhere) && bytes_ && bytes_->seekable() &&
           !interrupted_();
}

int OpenedInput::open_as_it_comes(const Source& source, const std::string& url, const AVInputFormat& format,
                                  Dictionary& settings) {
    make_context();
    choose_settings(source, settings);
    open_nothing_else(url);
    format_->pb = bytes_->context();
    format_->flags |= AVFMT_FLAG_CUSTOM_IO;
    if (avio_seek(format_->pb, 0, SEEK_SET) < 0) {
        return AVERROR(EIO);
    }
    format_->pb->seekable = 0;
    const int opened = avformat_open_input(&format_, url.c_str(), &format, settings.get());
    if (opened >= 0) {
        ++met_.faults;
        met_.note("container: its parts are not where it says: it is read as it comes");
    }
    return opened;
}

// What FFmpeg opens, or takes for the name of what it is given.
std::string OpenedInput::url_of(const Source& source) const {
    const std::string url = options_.path.substr(source.keeps_prefix ? 0 : source.prefix.size());
    if (source.prefix.empty()) {
        return options_.path == "-" ? "stdin" : "file:" + url;
    }
    return source.format == "sdp" ? "file:" + url : url;  // a file that names the addresses
}

// Tells the format from the first bytes, and has the scan of that container see them all.
void OpenedInput::open_bytes(const std::string& url, const AVInputFormat*& format) {
    format_->pb = bytes_->context();
    format_->flags |= AVFMT_FLAG_CUSTOM_IO;  // it is not FFmpeg's to close, also where nothing is opened
    if (format == nullptr) {
        const int probed = av_probe_input_buffer2(format_->pb, &format, plain_name(url).c_str(), format_, 0, 0);
        if (probed < 0) {
            throw Error(ExitCode::input, fmt::format("{}: {}", shown_name(options_.path), why_not_opened(probed)));
        }
        tell_bare_stream(*format);
    }
    // One without an end is known by its name alone, and then nobody looks into it.
    if (const auto beginning = bytes_->beginning(); (format->flags & AVFMT_NOFILE) != 0 && beginning.size() > 2 &&
                                                    beginning[0] == 0xFF && beginning[1] == 0xD8 &&
                                                    beginning[2] == 0xFF) {
        format = av_find_input_format("jpeg_pipe");
    }
    if ((format->flags & AVFMT_NOFILE) != 0) {
        // Pictures without a mark of their own are known by the name alone, and opened by it.
        format_->pb = nullptr;
        format_->flags &= ~AVFMT_FLAG_CUSTOM_IO;
        bytes_.reset();
        return;
    }
    check_y4m_size(*format, bytes_->beginning());
    check_pictures();
    if (is_pipe() && demuxer_facts(*format).has(input_fact::goes_back)) {
        bytes_->keep(max_piped_gif);
    }
    if (auto scan = is_live(options_) ? nullptr : make_container_scan(format->name)) {
        scan_ = std::make_unique<ScanFeeder>(std::move(scan));
        bytes_->show([this](std::int64_t offset, std::span<const std::uint8_t> bytes) {
            scan_->feed(offset, bytes);
            keep_front(offset, bytes);
        });
    } else {
        bytes_->show(nullptr);
    }
    bridge_lost_fragments(*format);
}

void OpenedInput::find_streams() {
    const std::string name = shown_name(options_.path);
    // FFmpeg decodes the first pictures to know what they are: none that would fill the memory.
    std::vector<AVDictionary*> settings(format_->nb_streams, nullptr);
    for (AVDictionary*& of_stream : settings) {
        av_dict_set_int(&of_stream, "max_pixels", options_.max_pixels, 0);
    }
    // Where a decoder refuses pictures of this size FFmpeg forgets what the header says of it.
    std::vector<std::pair<int, int>> sizes;
    for (const AVStream* stream : std::span(format_->streams, format_->nb_streams)) {
        sizes.emplace_back(stream->codecpar->width, stream->codecpar->height);
    }
    const PngLimit limit(*format_, bytes_ && bytes_->seekable());
    const int found = avformat_find_stream_info(format_, settings.data());
    for (AVDictionary*& of_stream : settings) {
        av_dict_free(&of_stream);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (AVCodecParameters& codec = *format_->streams[i]->codecpar; codec.width <= 0 || codec.height <= 0) {
            std::tie(codec.width, codec.height) = sizes[i];
        }
    }
    if (found < 0) {
        throw Error(ExitCode::input, fmt::format("{}: {}", name, why_not_opened(found)));
    }
    if (format_->nb_streams >= static_cast<unsigned>(max_streams)) {
        throw Error(ExitCode::input, fmt::format("{}: {}", name, too_many_streams()));  // the rest was not told
    }
    mend_movie();
    check_raw_pictures();
}

const ContainerScan* OpenedInput::scan() {
    if (!scan_ || !bytes_) {
        return nullptr;
    }
    if (!scan_->complete()) {
        scan_->finish(bytes_->size(),
                      [this](std::int64_t offset, std::span<std::uint8_t> to) { return bytes_->read_at(offset, to); });
    }
    return scan_->complete() ? &scan_->scan() : nullptr;
}

int OpenedInput::read(AVPacket& packet) {
    const MissingParts::Hearing hearing(parts_);
    const SaidOnce once;
    heard_ = attended_.look();
    if (interrupted_()) {
        return AVERROR_EXIT;
    }
    in_hole_ = false;
    for (;;) {
        errno = 0;
        const int got = read_packet(packet);
        note_memory(got, packet);
        if (got == AVERROR(EAGAIN)) {
            if (stop()) {
                return timed_out_ ? AVERROR(ETIMEDOUT) : AVERROR_EXIT;
            }
            if (camera_ >= 0) {
                wait_for_camera(camera_poll);
            } else {
                std::this_thread::sleep_for(nap);
            }
            continue;
        }
        if (got >= 0 && lends_buffers_) {
            make_own(packet);
        }
        if (got >= 0 && bound_times(packet, format_->streams[packet.stream_index]->time_base)) {
            note_complaint(format_, "a time that no clock shows");
        }
        // Each is a picture by itself, which libavfilter's device does not say of them (since FFmpeg 7).
        if (got >= 0 && format_->streams[packet.stream_index]->codecpar->codec_id == AV_CODEC_ID_WRAPPED_AVFRAME) {
            packet.flags |= AV_PKT_FLAG_KEY;
        }
        if (got == AVERROR_EOF && leave_ended_stream()) {
            continue;
        }
        if (got < 0 && goes_on_behind(got)) {
            continue;
        }
        if (got < 0) {
            if (got == AVERROR_EOF && !ended_) {
                ended_ = true;
                note_lost_bytes();
            }
            return why_ended(got);
        }
        if (is_scrambled(*format_->streams[packet.stream_index]) || is_film_trailer(packet)) {
            av_packet_unref(&packet);
            continue;
        }
        // Nobody decodes a cover.
        if (const AVStream& stream = *format_->streams[packet.stream_index];
            is_png(stream) && !is_attached_picture(stream)) {
            refuse_picture(excess_of_png(std::span(packet.data, static_cast<std::size_t>(packet.size))));
        }
        if (holds_picture_files(*format_, *format_->streams[packet.stream_index]) && !take_picture(packet)) {
            continue;
        }
        add_what_file_says(packet);
        note_end(packet);
        forgive_joint(packet);
        return got;
    }
}

}  // namespace vfilter
