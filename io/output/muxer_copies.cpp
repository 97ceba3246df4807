// What the muxer writes of streams that are copied, and of subtitles, which may become other ones.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/bitstream/encoder_notes.h"
#include "io/changed_parameters.h"
#include "io/codec/subtitles.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/output/muxer.h"
#include "io/output/stream_headers.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

constexpr int opus_rate = 48000;

}  // namespace

// A phrase, "" where the packet can be read behind the header that is written.
std::string Muxer::what_header_cannot_tell(const AVPacket& packet) {
    const AVStream& from = *input_.format().streams[packet.stream_index];
    if (adts_headers_.is_of_another_format(packet, from, *format_->oformat)) {
        return fmt::format("the sound has another rate or other channels, which {} cannot tell",
                           format_->oformat->name);
    }
    const AVCodecParameters* const now = attached_parameters(packet);
    return now == nullptr || copy_follows(*from.codecpar, *now, packet)
               ? ""
               : fmt::format("the input is back with {}, which the header of the copy cannot tell any more",
                             what_has_changed(*from.codecpar, *now));
}

// What is to be stripped goes, and what no header can make good is refused.
void Muxer::prepare_copy(AVPacket& packet) const {
    const AVStream& from = *input_.format().streams[packet.stream_index];
    const AVCodecParameters& own = *from.codecpar;
    if (options_.strip >= Strip::places && is_attached_picture(from)) {
        strip_picture(packet);
    }
    if (options_.strip >= Strip::tags && may_hold_notes(own.codec_id)) {
        remove_notes(nal_form(own), packet);
    }
    // NUT and others have one name for both, and the header is written of what the first packet says.
    if (constexpr int newest_ac3 = 10; own.codec_id == AV_CODEC_ID_AC3 && is_quicktime(*format_->oformat) &&
                                       packet.size > 5 && packet.data[5] >> 3 > newest_ac3) {
        throw Error(
            ExitCode::output,
            fmt::format("stream {} is E-AC-3, which {} does not say here, and {} cannot hold it as AC-3: --audio "
                        "aac encodes it",
                        from.index, input_.format().iformat->name, format_->oformat->name));
    }
    constexpr int for_ever = 4'000'000;  // seconds: FFmpeg's readers of pictures of text have 2^32 milliseconds
    if (own.codec_type == AVMEDIA_TYPE_SUBTITLE &&
        packet.duration > av_rescale_q(for_ever, AVRational{1, 1}, from.time_base)) {
        packet.duration = 0;
    }
}

void Muxer::write_copy(PacketPtr packet) {
    const int from = packet->stream_index;
    const int index = map_.place(from);
    if (index < 0) {
        return;
    }
    const bool hidden = (packet->flags & AV_PKT_FLAG_DISCARD) != 0;
    if (hidden && hidden_.is_shown(from)) {
        return;  // cut out of the middle: nobody is to hear it again, not even as a preroll
    }
    if (hidden && !is_quicktime(*format_->oformat)) {
        // Opus needs 0.08 s, AAC 0.05. Where there are no times it would make all later.
        hidden_.add(std::move(packet), input_.format().streams[from]->time_base,
                    only_counts_sound(*format_->oformat, format_->streams[index]->codecpar->codec_id) ? 0 : 0.1);
        return;
    }
    if (!hidden) {
        for (PacketPtr& before : hidden_.take(from)) {
            write_copy(std::move(before));
        }
    }
    if (SubtitleConverter* const converter = map_.converter(from); converter != nullptr) {
        write_subtitles(converter->convert(*packet), from);
        return;
    }
    if (input_.format().streams[from]->codecpar->codec_id == AV_CODEC_ID_MOV_TEXT) {
        write_subtitles(open_words_.add(std::move(packet), from), from);
        return;
    }
    if (const std::string what = what_header_cannot_tell(*packet); !what.empty()) {
        left_out_copies_.add(*packet, *input_.format().streams[from], what);
        return;
    }
    if (const int bared = adts_headers_.strip(*packet, from, *format_->streams[index]->codecpar); bared < 0) {
        check_packet(bared, "sound");
        return;
    }
    prepare_copy(*packet);
    const AVRational base = input_.format().streams[from]->time_base;
    const AVCodecParameters& codec = *format_->streams[index]->codecpar;
    if (lacks_delay(*format_->oformat, codec.codec_id)) {
        move_times(*packet, av_rescale_q(codec.initial_padding, AVRational{1, opus_rate}, base));
    }
    av_packet_rescale_ts(packet.get(), base, format_->streams[index]->time_base);
    write(std::move(packet), index);
}

void Muxer::note_late_packets() {
    for (std::size_t i = 0; i < times_->late().size(); ++i) {
        if (const LatePackets& late = times_->late()[i]; late.packets > 0) {
            left_out_.leave_out(late.packets);
            left_out_.note(
                fmt::format("stream {} of {}: {} packets lie up to {:.3f} s behind their times, which go back", i,
                            format_->oformat->name, late.packets, late.most));
        }
    }
}

void Muxer::finish_subtitles() {
    for (auto& [from, last] : open_words_.finish()) {
        write_subtitle(std::move(last), from);
    }
    for (auto& [from, converter] : map_.converters()) {
        write_subtitles(converter.finish(), from);
        if (const std::int64_t lost = converter.undecoded(); lost > 0) {
            left_out_.packets += lost;
            left_out_.note(fmt::format("stream {}: {} subtitles are left out, which cannot be decoded", from, lost));
        }
        if (const std::int64_t lost = converter.left_out(); lost > 0) {
            left_out_.leave_out(lost);
            left_out_.note(
                fmt::format("stream {}: words of {} subtitles are left out, which come too late or are too "
                            "many at once for {}",
                            from, lost, format_->oformat->name));
        }
    }
}

}  // namespace vfilter
