// OpenedInput, until it is opened. What is read from it then is opened_input_reading.cpp's.

#include "io/input/opened_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "io/bitstream/png_texts.h"
#include "io/demuxers.h"
#include "io/device_library.h"
#include "io/input/drawings.h"
#include "io/input/layers/known_streams.h"
#include "io/input/lost_fragments.h"
#include "io/input/opening_settings.h"
#include "io/log/unknown_hosts.h"
#include "io/source.h"

namespace vfilter {

namespace {

// For guessing by the name: without what FFmpeg takes for the pattern of a sequence. Names are names.
std::string plain_name(std::string name) {
    std::ranges::replace_if(
        name, [](char letter) { return std::string_view("%*?{}[]").find(letter) != std::string_view::npos; }, '_');
    return name;
}

}  // namespace

OpenedInput::OpenedInput(const InputRequest& options, const std::function<bool()>& interrupted)
    : options_(options), interrupted_(interrupted), behind_(shown_name(options.path)) {
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

void OpenedInput::make_context() {
    format_ = avformat_alloc_context();
    if (format_ == nullptr) {
        throw std::bad_alloc();
    }
    const auto ask = [](void* self) { return static_cast<OpenedInput*>(self)->stop() ? 1 : 0; };
    format_->interrupt_callback = {ask, this};
    format_->max_streams = max_input_streams;
    complaints_.listen(format_);
}

void OpenedInput::open() {
    const Source& source = source_of(options_.path);
    make_context();
    const std::string url = url_of(options_, source);
    if (source.prefix.empty()) {
        bytes_ = std::make_unique<InputBytes>(options_.path, [this] {
            return !stop() ? 0 : patience_.was_over() ? AVERROR(ETIMEDOUT) : AVERROR_EOF;
        });
        if (options_.sha256) {
            bytes_->sum();
        }
    }
    if (is_live(options_) || source.network() || is_pipe()) {
        const std::chrono::duration<double> seconds(options_.timeout);
        patience_.set(std::chrono::duration_cast<InputPatience::Duration>(seconds));
    }
    if (source.device()) {
        load_device_library(shown_name(options_.path));
    }
    const AVInputFormat* format = named_format(options_, source);
    Dictionary settings;
    set_up(source, settings);
    patience_.hear();
    if (source.playlists.empty()) {
        guard_.close_others(*format_, url);
    }
    if (bytes_) {
        open_bytes(url, format);
    }
    const AVFormatContext* const first = format_;
    const ThreadComplaints heard;
    int opened = avformat_open_input(&format_, url.c_str(), format, settings.get());
    if (opened < 0 && opened != AVERROR_EXIT && lies_elsewhere(format)) {
        complaints_.forget(first);
        opened = open_as_it_comes(source, url, *format, settings);
    }
    if (opened < 0) {
        if (const std::string unknown = unknown_host(heard.all()); !unknown.empty()) {
            throw Error(ExitCode::input, fmt::format("{}: {}", shown_name(options_.path), unknown));
        }
        fail(opened);
    }
    check_settings(options_, *format_->iformat, settings);
    if (lends_buffers_) {
        camera_.find(options_.path);
    }
    find_streams();
    says_.read(*format_, bytes_.get());
    if (scan_) {
        scrambled_ = says_.note_scrambled(*format_, scan_->scan(), options_.wanted);
    }
}

void OpenedInput::set_up(const Source& source, Dictionary& settings) {
    choose_settings(options_, source, settings);
    if (source.format == "v4l2") {
        format_->flags |= AVFMT_FLAG_NONBLOCK;
        lends_buffers_ = true;
    }
}

void OpenedInput::fail(int error) const {
    const bool scrambled =
        format_ != nullptr && std::ranges::any_of(std::span(format_->streams, format_->nb_streams),
                                                  [&](const AVStream* stream) { return is_scrambled(*stream); });
    const std::string why = why_not_opened(options_, {.error = error,
                                                      .timed_out = patience_.was_over(),
                                                      .bytes = bytes_.get(),
                                                      .complaint = complaints_.latest(),
                                                      .missing = parts_.first(),
                                                      .scrambled = scrambled});
    throw Error(ExitCode::input, fmt::format("{}: {}", shown_name(options_.path), why));
}

// MXF tells where its parts lie. Where that is wrong its demuxer refuses what it reads well as it comes, from a pipe.
bool OpenedInput::lies_elsewhere(const AVInputFormat* format) const {
    return format != nullptr && demuxer_facts(*format).has(input_fact::elsewhere) && bytes_ && bytes_->seekable() &&
           !interrupted_();
}

int OpenedInput::open_as_it_comes(const Source& source, const std::string& url, const AVInputFormat& format,
                                  Dictionary& settings) {
    make_context();
    set_up(source, settings);
    guard_.close_others(*format_, url);
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

// Tells the format from the first bytes.
void OpenedInput::open_bytes(const std::string& url, const AVInputFormat*& format) {
    format_->pb = bytes_->context();
    format_->flags |= AVFMT_FLAG_CUSTOM_IO;  // it is not FFmpeg's to close, also where nothing is opened
    if (format == nullptr) {
        const int probed = av_probe_input_buffer2(format_->pb, &format, plain_name(url).c_str(), format_, 0, 0);
        if (probed < 0) {
            fail(probed);
        }
        tell_bare_stream(options_, *format);
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
    check_y4m_size(options_, *format, bytes_->beginning());
    check_pictures(options_, *bytes_);
    show_bytes(*format);
    bridge_lost_fragments(*format);
}

// Has the scan of that container see all of them.
void OpenedInput::show_bytes(const AVInputFormat& format) {
    if (is_pipe() && demuxer_facts(format).has(input_fact::goes_back)) {
        bytes_->keep(max_piped_gif);
    }
    if (auto scan = is_live(options_) ? nullptr : make_container_scan(format.name)) {
        scan_ = std::make_unique<ScanFeeder>(std::move(scan));
        bytes_->show([this](std::int64_t offset, std::span<const std::uint8_t> bytes) {
            scan_->feed(offset, bytes);
            if (opening_ && is_pipe()) {
                says_.keep_front(offset, bytes);
            }
        });
    } else {
        bytes_->show(nullptr);
    }
}

void OpenedInput::bridge_lost_fragments(const AVInputFormat& format) {
    if (!bytes_->seekable() || is_live(options_) || !demuxer_facts(format).has(input_fact::movie)) {
        return;
    }
    auto read = [this](std::int64_t offset, std::span<std::uint8_t> to) { return bytes_->read_at(offset, to); };
    bytes_->change([lost = LostFragments(read, bytes_->size(), interrupted_)](
                       std::int64_t offset, std::span<std::uint8_t> bytes) mutable { lost.bridge(offset, bytes); });
}

void OpenedInput::find_streams() {
    refuse_picture(options_, why_not_drawn(options_, *format_, bytes_.get()));
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
        fail(found);
    }
    if (format_->nb_streams >= static_cast<unsigned>(max_input_streams)) {
        throw Error(ExitCode::input,
                    fmt::format("{}: {}", shown_name(options_.path), too_many_streams()));  // the rest was not told
    }
    mend_movie(*format_);
    check_raw_pictures(options_, *format_);
}

bool OpenedInput::may_tell_more() const {
    return bytes_ && bytes_->seekable() && !is_live(options_) &&
           std::any_of(format_->streams, format_->streams + format_->nb_streams,
                       [](const AVStream* stream) { return lacks_parameters(*stream->codecpar); });
}

void OpenedInput::check_strictly(const Damage& damage) const {
    if (options_.strict && damage.any()) {
        throw Error(ExitCode::damaged,
                    fmt::format("{}: {}, and --strict was given", shown_name(options_.path), damage.notes.front()));
    }
}

}  // namespace vfilter
