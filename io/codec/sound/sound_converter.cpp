#include "io/codec/sound/sound_converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/containers.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

// Where the wanted part of the sound begins.
std::optional<std::int64_t> begin_of_sound(const Demuxer& input, int stream) {
    return input.part().start || input.live() ? input.part().shift : input.begin_of(stream);
}

PlacingRules placing_rules(const Demuxer& input, int stream, const SoundSetup& setup, const SoundEncoder& encoder) {
    const WantedPart& part = input.part();
    PlacingRules rules{.stream = stream,
                       .clock = input.format().streams[stream]->time_base,
                       .live = input.live(),
                       .begin = begin_of_sound(input, stream),
                       .end = part.exact_end,
                       .longest_step = encoder.longest_step(),
                       .filtered = !setup.how.graph.empty()};
    if (!only_counts_sound(setup.container, setup.encoder.id) || input.live()) {
        return rules;
    }
    // Ogg begins where the output does, AVI with whatever comes first, the others with the first picture.
    const std::int64_t output_begin = part.start ? part.shift : part.input_begin;
    const bool ogg = is_ogg(setup.container);
    const bool avi = is_avi(setup.container);
    rules.filled_from = ogg || (avi && !part.start) ? output_begin : setup.pictures_begin;
    if (const std::int64_t end = input.told_end(); !ogg && !avi && end != AV_NOPTS_VALUE) {
        // MXF drops pictures at the end for which there is no sound, and what sound there is too much.
        rules.filled_to = std::min(part.exact_end.value_or(INT64_MAX), end) + AV_TIME_BASE;
    }
    return rules;
}

}  // namespace

SoundConverter::SoundConverter(const Demuxer& input, int stream, const SoundSetup& setup)
    : input_(input),
      stream_(*input.format().streams[stream]),
      pieces_(input, stream, begin_of_sound(input, stream).has_value()),
      maker_(input, stream, pieces_.format(), setup),
      placer_(placing_rules(input, stream, setup, maker_.encoder())) {}

PacketPtr SoundConverter::receive() {
    for (;;) {
        if (PacketPtr packet = maker_.receive()) {
            return packet;
        }
        if (maker_.ended()) {
            // A graph may end before its input. Nobody hears what comes then, but damage in it is told.
            while (pieces_.receive().frame) {
            }
            return nullptr;
        }
        if (!make_progress()) {
            return nullptr;
        }
    }
}

// Gives the maker what comes next. False where more has to be sent first.
bool SoundConverter::make_progress() {
    if (SoundPiece piece = pieces_.receive(); piece.frame) {
        place(std::move(piece.frame), piece.begins_clip);
        return true;
    }
    if (!pieces_.ended() || std::exchange(ended_, true)) {
        return false;
    }
    const std::int64_t silence = placer_.silence_behind(maker_.rate(), pieces_.bytes_read(), input_.pictures_end());
    silence_behind_ = silence > 0 ? static_cast<double>(silence) / maker_.rate() : 0;
    maker_.end(silence);
    return true;
}

void SoundConverter::place(FramePtr piece, bool begins_clip) {
    const AVRational clock = stream_.time_base;
    maker_.tell_change(*piece, (piece->pts != AV_NOPTS_VALUE ? static_cast<double>(piece->pts) * av_q2d(clock)
                                                             : placer_.next_seconds()) -
                                   seconds_of(input_.told_from()));
    const SoundPlace place = placer_.place({.pts = piece->pts,
                                            .samples = piece->nb_samples,
                                            .rate = piece->sample_rate,
                                            .packet_samples = pieces_.packet_samples(),
                                            .begins_clip = begins_clip,
                                            .bytes = pieces_.bytes(),
                                            .made_to = maker_.made_to(*piece)});
    if (place.too_late) {
        pieces_.reached(place.from);
        pieces_.note_damage(
            fmt::format("a time that is {:.3f} s later, for which the input has too few bytes: the sound goes on "
                        "where it was",
                        *place.too_late));
    }
    pieces_.reached(placer_.next());
    maker_.add(std::move(piece), place);
}

}  // namespace vfilter
