#include "io/input/added_input.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/printable.h"
#include "io/extradata.h"
#include "io/input/evidence/promises.h"
#include "io/input/file_layers.h"
#include "io/input/frame_rates.h"
#include "io/input/layers/same_streams.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"
#include "io/western_words.h"

namespace vfilter {

namespace {

// Of words in such a coarse clock a beginning that is anywhere would be heard too early or too late.
constexpr AVRational fine_clock{1, 1000};

// Those of files of text, of which many are older than UTF-8.
bool is_plain_text(AVCodecID codec) {
    constexpr std::array plain{AV_CODEC_ID_SUBRIP,    AV_CODEC_ID_ASS,        AV_CODEC_ID_SSA,  AV_CODEC_ID_TEXT,
                               AV_CODEC_ID_MICRODVD,  AV_CODEC_ID_MPL2,       AV_CODEC_ID_SAMI, AV_CODEC_ID_JACOSUB,
                               AV_CODEC_ID_SUBVIEWER, AV_CODEC_ID_SUBVIEWER1, AV_CODEC_ID_STL,  AV_CODEC_ID_VPLAYER,
                               AV_CODEC_ID_PJS,       AV_CODEC_ID_REALTEXT};
    return std::ranges::find(plain, codec) != plain.end();
}

std::string_view text_of(const std::uint8_t* data, int size) {
    return without_filling({reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)});
}

// Data, such as time code, tell of the pictures that they lie beside.
bool is_taken(const AVStream& stream) {
    const AVMediaType type = stream.codecpar->codec_type;
    return type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE || type == AVMEDIA_TYPE_ATTACHMENT;
}

// What an added file has besides, in words; "" if there is nothing.
std::string not_taken(const AVFormatContext& format) {
    std::string left;
    const auto add = [&](bool any, std::string_view what) {
        left += any ? fmt::format("{}{}", left.empty() ? "" : ", ", what) : "";
    };
    const auto any = [&](auto is) { return std::ranges::any_of(std::span(format.streams, format.nb_streams), is); };
    add(any([](const AVStream* stream) {
            return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(*stream);
        }),
        "video");
    add(any([](const AVStream* stream) { return is_attached_picture(*stream); }), "covers");
    add(any([](const AVStream* stream) { return stream->codecpar->codec_type == AVMEDIA_TYPE_DATA; }), "data");
    add(format.nb_chapters > 0, "chapters");
    return left;
}

// "@2:KEY" of the second file, or "KEY" of each.
OptionPairs own_options(const InputOptions& input, std::size_t number) {
    OptionPairs own;
    for (const auto& [key, value] : input.added_options) {
        if (!key.starts_with('@')) {
            own.emplace_back(key, value);
            continue;
        }
        const std::size_t colon = std::min(key.find(':'), key.size());
        std::size_t of = 0;
        const auto [end, error] = std::from_chars(key.data() + 1, key.data() + colon, of);
        if (error != std::errc() || end != key.data() + colon || colon == key.size() || of == 0 ||
            of > input.added.size()) {
            throw Error(ExitCode::usage,
                        fmt::format("--add-option: '{}' is no added file; --add names {}, numbered from @1",
                                    printable(key), input.added.size()));
        }
        if (of == number) {
            own.emplace_back(key.substr(colon + 1), value);
        }
    }
    return own;
}

InputRequest options_of(const InputRequest& input, std::size_t number) {
    InputRequest options;
    options.path = input.added.at(number - 1).path;
    options.input_options = own_options(input, number);
    options.beside = true;
    options.allow_files = input.allow_files;
    options.allow_network = input.allow_network;
    options.strict = input.strict;
    options.timeout = input.timeout;
    options.max_pixels = input.max_pixels;
    options.sha256 = input.sha256;
    options.wanted = input.wanted & (kind::audio | kind::subtitles);
    return options;
}

}  // namespace

AddedInput::AddedInput(const InputRequest& input, std::size_t number, const std::function<bool()>& interrupted)
    : options_(options_of(input, number)), file_(input.added.at(number - 1)), interrupted_(interrupted) {
    open();
    const std::span streams(source_->format().streams, source_->format().nb_streams);
    if (std::ranges::none_of(streams, [](const AVStream* stream) { return is_taken(*stream); })) {
        throw Error(ExitCode::input,
                    fmt::format("{}: holds no sound, subtitles or attachments, which --add takes", file_.path));
    }
    if (const std::string left = not_taken(source_->format()); !left.empty()) {
        spdlog::warn("{}: --add leaves out its {}", file_.path, left);
    }
}

void AddedInput::open() {
    source_.reset();  // before what it counts for
    std::unique_ptr<OpenedInput> opened = open_file(options_, interrupted_);
    AVFormatContext& format = opened->format();
    waits_ = opened->waits();
    unread_ = opened->unread();
    rates_.clear();
    for (AVStream* const stream : std::span(format.streams, format.nb_streams)) {
        rates_.push_back(usual_frame_rate(format, *stream));
    }
    account_.emplace(options_, format, std::vector<int>{}, rates_);
    source_ = std::move(opened);
    lay_file_layers(source_, {}, options_, *account_);
    subtitles_ = {};
    earlier_.clear();
    ended_ = false;
}

void AddedInput::describe(AVFormatContext& description) {
    description_ = &description;
    for (const AVStream* const stream : std::span(source_->format().streams, source_->format().nb_streams)) {
        places_.push_back(is_taken(*stream) ? static_cast<int>(description.nb_streams) : -1);
        if (places_.back() < 0) {
            continue;
        }
        describe_stream(*stream, description);
        AVStream& copy = *description.streams[places_.back()];
        copy.id = 0;  // a container's own number means nothing beside those of another one
        if (AVCodecParameters& codec = *copy.codecpar;
            is_plain_text(codec.codec_id) && !is_utf8(text_of(codec.extradata, codec.extradata_size))) {
            // Styles of ASS.
            const std::string words = utf8_of_western(text_of(codec.extradata, codec.extradata_size));
            set_extradata(codec, {reinterpret_cast<const std::uint8_t*>(words.data()), words.size()});
        }
        if (is_subtitle(*stream) && av_cmp_q(stream->time_base, fine_clock) > 0) {
            copy.time_base = fine_clock;
        }
        if (stream->duration != AV_NOPTS_VALUE) {
            copy.duration = av_rescale_q(stream->duration, stream->time_base, copy.time_base);
        }
        copy.nb_frames = stream->nb_frames;
    }
}

void AddedInput::add_unread(UnreadLabels& unread) const {
    const auto place = [&](int stream) {
        return stream >= 0 && stream < static_cast<int>(places_.size()) ? places_[static_cast<std::size_t>(stream)]
                                                                        : -1;
    };
    for (UnreadTrack track : unread_.tracks) {
        track.stream = place(track.stream);
        if (track.stream >= 0) {
            unread.tracks.push_back(std::move(track));
        }
    }
    for (UnreadTag tag : unread_.tags) {
        tag.stream = place(tag.stream);
        if (tag.stream >= 0) {
            unread.tags.push_back(std::move(tag));
        }
    }
}

// By its own clock, of any of its streams; null at the end.
PacketPtr AddedInput::read() {
    if (!earlier_.empty()) {
        PacketPtr packet = std::move(earlier_.front());
        earlier_.pop_front();
        return packet;
    }
    PacketPtr packet = make_packet();
    if (const int got = ended_ ? AVERROR_EOF : source_->read(*packet); got >= 0) {
        return packet;
    } else if (!ended_) {
        ended_ = true;
        const AVFormatContext& format = source_->format();
        account_->end(got, interrupted_(), *source_,
                      told_end_of(format, format.start_time == AV_NOPTS_VALUE ? 0 : format.start_time));
    }
    return nullptr;
}

const AVPacket* AddedInput::next() {
    if (!next_ && shown_.empty()) {
        PacketPtr packet;
        try {
            packet = read_fitted();
        } catch (const Error& error) {
            throw Error(error.code(), fmt::format("{}: {}", file_.path, error.what()));
        }
        if (!interrupted_() && subtitles_.knows_shown(begin_, packet.get(), *description_)) {
            give_shown();
        }
        if (packet) {
            shown_.push_back(std::move(packet));
        } else if (shown_.empty() && !gave_ && !interrupted_()) {
            refuse_nothing();
        }
    }
    if (!next_ && !shown_.empty()) {
        next_ = std::move(shown_.front());
        shown_.pop_front();
        gave_ = gave_ || is_heard(*next_);
    }
    return next_.get();
}

// The next that is wanted, as a packet of the description's; null at the end.
PacketPtr AddedInput::read_fitted() {
    while (!interrupted_()) {
        PacketPtr packet = read();
        if (!packet) {
            break;
        }
        account_->given(*packet);
        const auto own = static_cast<std::size_t>(packet->stream_index);
        if (own >= places_.size() || places_[own] < 0) {
            continue;
        }
        if (subtitles_.takes(*packet, *source_->format().streams[own],
                             from_ ? std::optional(begin_ + EarlierSubtitles::rounding - offset_) : std::nullopt)) {
            continue;
        }
        make_utf8(*packet);
        fit(*packet);
        if (!is_before_input(*packet) && !is_before_part(*packet)) {
            return packet;
        }
    }
    return nullptr;
}

// Containers hold nothing but UTF-8.
void AddedInput::make_utf8(AVPacket& packet) {
    const AVCodecID codec = source_->format().streams[packet.stream_index]->codecpar->codec_id;
    if (!is_plain_text(codec) || is_utf8(text_of(packet.data, packet.size))) {
        return;
    }
    if (!std::exchange(told_western_, true)) {
        spdlog::warn("{}: the subtitles are not UTF-8: they are read as Windows-1252", file_.path);
    }
    const std::string text = utf8_of_western(text_of(packet.data, packet.size));
    PacketPtr made = make_packet();
    if (av_new_packet(made.get(), static_cast<int>(text.size())) < 0) {
        throw std::bad_alloc();
    }
    std::ranges::copy(text, made->data);
    av_check(av_packet_copy_props(made.get(), &packet), "av_packet_copy_props");
    av_packet_unref(&packet);
    av_packet_move_ref(&packet, made.get());
}

// Into the input's clock, as a packet of the description's.
void AddedInput::fit(AVPacket& packet) const {
    const AVRational base = source_->format().streams[packet.stream_index]->time_base;
    packet.stream_index = places_[static_cast<std::size_t>(packet.stream_index)];
    const AVStream& as = *description_->streams[packet.stream_index];
    av_packet_rescale_ts(&packet, base, as.time_base);
    move_times(packet, av_rescale_q(offset_, microseconds_base, as.time_base));
    if (const std::int64_t begin = av_rescale_q(first_, microseconds_base, as.time_base);
        file_.later < 0 && is_subtitle(as) && packet.pts != AV_NOPTS_VALUE && packet.pts < begin &&
        packet.pts + packet.duration > begin) {
        packet.duration -= begin - packet.pts;
        packet.pts = packet.dts = begin;
    }
}

std::int64_t AddedInput::next_time() const {
    const std::int64_t time = decoding_time(*next_);
    return time == AV_NOPTS_VALUE ? time : microseconds(time, description_->streams[next_->stream_index]->time_base);
}

Damage AddedInput::damage() const {
    Damage damage = account_->damage();
    if (damage.missing_seconds > 0 && damage.notes.empty()) {
        damage.note(fmt::format("ends {:.3f} s before its own duration", damage.missing_seconds));
    }
    for (std::string& note : damage.notes) {
        note = fmt::format("{}: {}", file_.path, note);
    }
    return damage.give_to(file_.path);
}

}  // namespace vfilter
