#include "io/output/stream_map.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "config/printable.h"
#include "io/codec/sound/sound_choice.h"
#include "io/containers.h"
#include "io/demuxers.h"
#include "io/input/layers/known_streams.h"
#include "io/output/container_rules.h"
#include "io/output/memory_output.h"
#include "io/output/picture_notes.h"
#include "io/output/stream_choices.h"
#include "io/output/tags.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Whether nobody knows what a cover's file holds besides its picture.
bool is_unclear_picture(const AVStream& stream) {
    const AVPacket& picture = stream.attached_pic;
    return is_attached_picture(stream) &&
           !without_picture_notes({picture.data, static_cast<std::size_t>(picture.size)});
}

// The container's own name of a codec that FFmpeg does not know, "" of others.
std::string unknown_codec(const Demuxer& input, const AVStream& stream) {
    if (stream.codecpar->codec_id != AV_CODEC_ID_NONE || kind_of(stream) == kind::data) {
        return "";
    }
    const auto& tracks = input.unread().tracks;
    const auto track = std::ranges::find(tracks, stream.index, &UnreadTrack::stream);
    if (track != tracks.end() && !track->codec.empty()) {
        return printable(track->codec);
    }
    const bool quicktime = demuxer_facts(*input.format().iformat).has(input_fact::movie);
    std::array<char, AV_FOURCC_MAX_STRING_SIZE> name{};
    return quicktime && stream.codecpar->codec_tag != 0
               ? printable(av_fourcc_make_string(name.data(), stream.codecpar->codec_tag))
               : "";
}

// QuickTime's pictures of chapters: as a cover the first one would be all of them, and as a video they would play.
bool shows_chapters(const AVStream& stream) {
    return (stream.disposition & AV_DISPOSITION_TIMED_THUMBNAILS) != 0;
}

// Of which FFmpeg's muxer writes the first one.
void tell_time_codes(const AVStream& stream) {
    if (stream.codecpar->codec_tag == MKTAG('t', 'm', 'c', 'd') && stream.nb_frames > 1) {
        spdlog::warn("{}: of its {} time codes the first one is kept, and the output counts on", describe(stream),
                     stream.nb_frames);
    }
}

// A transport stream holds any data, but what they are stands in descriptors of the program, which are not copied.
std::string why_left_out(const Demuxer& input, const AVOutputFormat& container, const AVStream& stream,
                         const SoundOptions& how = {}) {
    if (const std::string codec = unknown_codec(input, stream); !codec.empty()) {
        return fmt::format("FFmpeg does not know its codec, {}", codec);
    }
    if (is_scrambled(input.unread(), stream.index)) {
        return "it is scrambled, as its packets say";
    }
    if (lacks_parameters(*stream.codecpar)) {
        return "its properties are unknown, as it had not begun in the part that was searched for them";
    }
    if (!how.graph.empty() && avcodec_find_decoder(stream.codecpar->codec_id) == nullptr) {
        return "this FFmpeg cannot decode it, and --af is to filter it";
    }
    if (stream.codecpar->codec_id == AV_CODEC_ID_XSUB && container.name == std::string_view("avi")) {
        return "its pictures tell by themselves when they are shown, which would stay as it was";
    }
    if (shows_chapters(stream)) {
        return "a picture of each chapter, for which FFmpeg has no place in any container";
    }
    const bool data = kind_of(stream) == kind::data;
    return data && is_transport_stream(container) ? "nothing would say there what these data are"
                                                  : fmt::format("{} cannot hold it", name_of_output(container));
}

}  // namespace

StreamMap::StreamMap(const Demuxer& input, const AVOutputFormat& container, const OutputOptions& options)
    : input_(input), container_(container) {
    const AVFormatContext& from = input_.format();
    check_choices(input_, options);
    int next = 0;
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        const AVStream& stream = *from.streams[i];
        const bool filtered = input_.is_filtered(static_cast<int>(i));
        header_only_.push_back(!filtered && is_header_only(container_, stream));
        const SoundOptions how = sound_options(stream, options);
        const bool wanted = is_kept(input_, stream, options.choices) && (kind_of(stream) & options.kinds) != 0 &&
                            how.mode != SoundOptions::Mode::none;
        if (!filtered && (!wanted || is_stripped(stream, options.strip))) {
            places_.push_back(-1);
            spdlog::debug("{} is left out, as was asked for", describe(stream));
            continue;
        }
        if (options.strip >= Strip::places && is_unclear_picture(stream)) {
            places_.push_back(-1);
            spdlog::warn("{} is left out, as location data can only be removed from JPEG, PNG and WebP",
                         describe(stream));
            continue;
        }
        // What a microphone gives is as large as sound can be.
        const bool raw = static_cast<int>(i) == input_.device_sound();
        const bool encodes = how.mode == SoundOptions::Mode::encode || !how.graph.empty() ||
                             ((raw || needs_silence(stream)) && sound_encoder(stream, how, raw) != nullptr);
        const bool remade = is_remade(container_, stream, from.nb_chapters > 0);
        // The null muxer takes what its streams cannot be.
        const bool held =
            !lacks_parameters(*stream.codecpar) && !shows_chapters(stream) &&
            (can_hold(container_, stream) || (is_bluray_stream(container_, options.path) && can_hold_bluray(stream)));
        if (filtered || (!encodes && held && !remade)) {
            places_.push_back(next++);
            continue;
        }
        if (const auto conversion = subtitle_conversion(container_, stream.codecpar->codec_id)) {
            places_.push_back(next++);
            converters_.try_emplace(static_cast<int>(i), stream, conversion->to);
            spdlog::log(conversion->keeps_layout ? spdlog::level::info : spdlog::level::warn,
                        "{} becomes {}, which {} can hold{}", describe(stream), avcodec_get_name(conversion->to),
                        container_.name, conversion->keeps_layout ? "" : "; of its layout and fonts little is left");
            continue;
        }
        if (const AVCodec* const codec = sound_encoder(stream, how, raw)) {
            places_.push_back(next++);
            sounds_.emplace(static_cast<int>(i), EncodedSound{codec, how});
            encoded_.push_back(fmt::format("{} becomes {}{}{}", describe(stream), avcodec_get_name(codec->id),
                                           loss_of(*stream.codecpar, *codec), how.graph.empty() ? "" : ", filtered"));
            spdlog::info("{}{}", encoded_.back(),
                         encodes ? "" : fmt::format(": {} cannot hold it as it is", container_.name));
            continue;
        }
        places_.push_back(-1);
        if (remade) {
            spdlog::debug("{} is made anew by the {} muxer", describe(stream), container_.name);
            tell_time_codes(stream);
            continue;
        }
        dropped_.push_back(describe(stream));
        spdlog::warn("{} is left out: {}", dropped_.back(), why_left_out(input_, container_, stream, how));
    }
    const bool filters =
        std::ranges::any_of(sounds_, [](const auto& sound) { return !sound.second.how.graph.empty(); });
    if (!options.sound_graph.empty() && !filters) {
        spdlog::warn("--af {}: there is no sound that it could filter", options.sound_graph);
    }
    put_in_order(options.choices);
}

// Videos that are filtered have an order of their own.
void StreamMap::put_in_order(const std::vector<StreamChoice>& choices) {
    const AVFormatContext& from = input_.format();
    const auto rank = [&](int stream) {
        return std::ranges::find_if(
                   choices,
                   [&](const StreamChoice& choice) { return is_chosen(input_, *from.streams[stream], choice); }) -
               choices.begin();
    };
    for (const unsigned kind : {kind::audio, kind::subtitles, kind::data, kind::attachments}) {
        std::vector<int> of_kind = in_order();
        std::erase_if(of_kind, [&](int stream) { return kind_of(*from.streams[stream]) != kind; });
        std::vector<int> free;
        std::ranges::transform(of_kind, std::back_inserter(free), [&](int stream) { return place(stream); });
        std::ranges::stable_sort(of_kind, {}, rank);
        for (std::size_t i = 0; i < free.size(); ++i) {
            places_[static_cast<std::size_t>(of_kind[i])] = free[i];
        }
    }
}

std::vector<int> StreamMap::in_order() const {
    std::vector<int> streams;
    for (int i = 0; i < static_cast<int>(places_.size()); ++i) {
        if (place(i) >= 0) {
            streams.push_back(i);
        }
    }
    std::ranges::sort(streams, {}, [this](int stream) { return place(stream); });
    return streams;
}

// Sound without loss that is put where it belongs by silence, in a container that has no times of it. MXF wants some
// for every picture.
bool StreamMap::needs_silence(const AVStream& stream) const {
    constexpr std::int64_t heard = AV_TIME_BASE / 100;
    const bool late = stream.start_time != AV_NOPTS_VALUE &&
                      microseconds(stream.start_time, stream.time_base) > input_.part().input_begin + heard;
    const AVCodecID codec = stream.codecpar->codec_id;
    const bool ogg = is_ogg(container_);
    const bool plain = av_get_bits_per_sample(codec) > 0 || (ogg && codec == AV_CODEC_ID_FLAC);
    const bool only_late = ogg || is_avi(container_);
    return stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && plain && only_counts_sound(container_, codec) &&
           (late || !only_late || (ogg && input_.part().start));
}

// What was asked of a stream that is sound; nothing of others.
SoundOptions StreamMap::sound_options(const AVStream& stream, const OutputOptions& options) const {
    SoundOptions how = stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO ? options.sound : SoundOptions{};
    for (const ChosenSound& sound : options.sounds) {
        how = is_chosen(input_, stream, sound.of) ? sound.how : how;
    }
    const bool filters = stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && how.mode != SoundOptions::Mode::copy;
    how.graph = filters ? options.sound_graph : "";
    return how;
}

// MXF has a packet of sound for each picture, so that samples are copied, and not packets.
bool StreamMap::copies_samples(const AVStream& stream) const {
    const AVCodecParameters& sound = *stream.codecpar;
    const std::string_view name = container_.name;
    return (name == "mxf" || name == "mxf_d10") && sound.sample_rate == 48000 &&
           (sound.codec_id == AV_CODEC_ID_PCM_S16LE || sound.codec_id == AV_CODEC_ID_PCM_S24LE);
}

// Null where a stream is no sound that is to be encoded.
const AVCodec* StreamMap::sound_encoder(const AVStream& stream, const SoundOptions& how, bool raw) const {
    if (how.mode == SoundOptions::Mode::copy && copies_samples(stream)) {
        return avcodec_find_encoder(stream.codecpar->codec_id);
    }
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_AUDIO || how.mode == SoundOptions::Mode::copy ||
        lacks_parameters(*stream.codecpar)) {
        return nullptr;
    }
    if (how.mode == SoundOptions::Mode::automatic && !how.graph.empty() && !raw && can_hold(container_, stream)) {
        return same_sound_encoder(container_, *stream.codecpar);
    }
    if (how.mode == SoundOptions::Mode::automatic) {
        return usual_sound_encoder(container_, *stream.codecpar, raw);
    }
    const AVCodec& codec = named_sound_encoder(how.codec, container_, *stream.codecpar);
    check_sound_encoder(container_, codec);
    return &codec;
}

int StreamMap::place(int stream) const {
    const auto index = static_cast<std::size_t>(stream);
    return index < places_.size() ? places_[index] : -1;
}

bool StreamMap::carries(int stream) const {
    return place(stream) >= 0 && !header_only_[static_cast<std::size_t>(stream)];
}

SubtitleConverter* StreamMap::converter(int stream) {
    const auto found = converters_.find(stream);
    return found == converters_.end() ? nullptr : &found->second;
}

// A copy whose place depends on the others.
bool StreamMap::is_tried(int stream) const {
    return !input_.is_filtered(stream) && carries(stream) && !converters_.contains(stream);
}

// Whether the muxer begins, in memory, with the videos and those of the other streams that have a place and are
// `wanted`.
bool StreamMap::accepts(const std::vector<EncodedVideo>& videos, const std::vector<const SoundConverter*>& sounds,
                        const std::function<bool(int)>& wanted) const {
    const AVFormatContext& from = input_.format();
    MemoryOutput trial(container_);
    for (int i = 0; i < static_cast<int>(places_.size()); ++i) {
        const auto video = std::ranges::find(videos, i, &EncodedVideo::stream);
        if (video != videos.end()) {
            fill_video_stream(trial.context(), *video->made, *video->encoder, *video->first);
        } else if (is_tried(i) && wanted(i)) {
            const auto sound = std::ranges::find(sounds, i, &SoundConverter::stream);
            if (sound != sounds.end()) {
                fill_sound_stream(trial.context(), *from.streams[i], **sound);
            } else {
                trial.add_copy(*from.streams[i]);
            }
        }
    }
    return trial.begins();
}

// Some muxers know only when they begin which codecs they take. Who asked for one is not to go without sound.
void StreamMap::check_asked_sound(int stream, const std::vector<EncodedVideo>& videos,
                                  const std::vector<const SoundConverter*>& sounds) const {
    const auto sound = sounds_.find(stream);
    if (sound != sounds_.end() && sound->second.how.mode == SoundOptions::Mode::encode &&
        !accepts(videos, sounds, [stream](int i) { return i == stream; })) {
        throw Error(ExitCode::output, fmt::format("{} does not take the {} that --audio makes of {}; --audio with "
                                                  "another codec, or another container",
                                                  container_.name, avcodec_get_name(sound->second.codec->id),
                                                  describe(*input_.format().streams[stream])));
    }
}

void StreamMap::drop(int stream) {
    const auto index = static_cast<std::size_t>(stream);
    for (int& place : places_) {
        place -= place > places_[index] ? 1 : 0;
    }
    places_[index] = -1;
    sounds_.erase(stream);
    std::erase_if(encoded_, [&](const std::string& text) {
        return text.starts_with(describe(*input_.format().streams[stream]) + " ");
    });
    const AVStream& from = *input_.format().streams[stream];
    dropped_.push_back(describe(from));
    spdlog::warn("{} is left out: {}", dropped_.back(),
                 lacks_parameters(*from.codecpar)
                     ? why_left_out(input_, container_, from)
                     : fmt::format("{} cannot hold it beside the others", container_.name));
}

void StreamMap::name_empty(int place) {
    const auto from = std::ranges::find(places_, place);
    if (from != places_.end()) {
        dropped_.push_back(describe(*input_.format().streams[from - places_.begin()]));
        spdlog::warn("{} is left out: nothing of it was to be written, and {} has no empty streams", dropped_.back(),
                     container_.name);
    }
}

void StreamMap::tell_empty(const std::vector<SentStream>& sent, const std::vector<int>& absent,
                           const std::set<int>& filtered_away) const {
    std::vector<std::string> outside;
    std::vector<std::string> filtered;
    for (const int stream : in_order()) {
        const int place = places_[static_cast<std::size_t>(stream)];
        const SentStream& of = sent[static_cast<std::size_t>(place)];
        if (of.packets > 0 || !carries(stream) || of.header_only || !input_.has_packets(stream) ||
            std::ranges::find(absent, place) != absent.end()) {
            continue;
        }
        std::vector<std::string>* const because = filtered_away.contains(stream) ? &filtered
                                                  : input_.part().takes_part()   ? &outside
                                                                                 : nullptr;
        if (because != nullptr) {
            because->push_back(describe(*input_.format().streams[stream]));
        }
    }
    const auto tell = [](const std::vector<std::string>& empty, std::string_view why) {
        if (!empty.empty()) {
            spdlog::warn("empty in the output, as nothing of {} {}: {}", empty.size() > 1 ? "them" : "it", why,
                         fmt::join(empty, "; "));
        }
    };
    tell(outside, "lies in the wanted part");
    tell(filtered, "comes out of --af");
}

void StreamMap::drop_refused(const std::vector<EncodedVideo>& videos,
                             const std::vector<const SoundConverter*>& sounds) {
    // Where the encoded video itself is refused, beginning tells why.
    if ((container_.flags & AVFMT_NOFILE) != 0 || accepts(videos, sounds, [](int) { return true; }) ||
        !accepts(videos, sounds, [](int) { return false; })) {
        return;
    }
    // Each beside those before it that are kept.
    for (int i = 0; i < static_cast<int>(places_.size()); ++i) {
        if (is_tried(i) && !accepts(videos, sounds, [i](int other) { return other <= i; })) {
            check_asked_sound(i, videos, sounds);
            drop(i);
        }
    }
}

}  // namespace vfilter
