// Packets that nobody can read without a key.

extern "C" {
#include <libavutil/encryption_info.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/demuxers.h"
#include "io/input/demuxer.h"
#include "io/input/layers/keyed_sound.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

// FFmpeg says it of each packet of MP4, unless it was given the key. In an encrypted track there may be packets of
// which all is clear.
bool has_protected_bytes(const AVPacket& packet) {
    std::size_t size = 0;
    const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_ENCRYPTION_INFO, &size);
    if (data == nullptr) {
        return false;
    }
    const std::unique_ptr<AVEncryptionInfo, decltype(&av_encryption_info_free)> info(
        av_encryption_info_get_side_data(data, size), av_encryption_info_free);
    if (!info || info->subsample_count == 0) {
        return true;
    }
    const std::span parts(info->subsamples, info->subsample_count);
    return std::ranges::any_of(parts,
                               [](const AVSubsampleEncryptionInfo& part) { return part.bytes_of_protected_data > 0; });
}

}  // namespace

bool Demuxer::is_encrypted(const AVPacket& packet) const {
    return has_protected_bytes(packet) || std::ranges::any_of(stack_->unread.tracks, [&](const UnreadTrack& track) {
               return track.encrypted && track.stream == packet.stream_index;
           });
}

bool Demuxer::leaves_out(const AVPacket& packet) {
    if (!is_encrypted(packet)) {
        return false;
    }
    const int file = file_of(packet.stream_index);
    const int clip = file == 0 ? clip_of(packet) : 0;
    const AVStream& stream = *stack_->format->streams[packet.stream_index];
    Damage damage{.packets = 1};
    if (encrypted_.emplace(clip, packet.stream_index).second) {
        const std::int64_t time = presentation_time(packet);
        const std::string from =
            time == AV_NOPTS_VALUE
                ? ""
                : fmt::format(" from {:.3f} s on", seconds_of(microseconds(time, stream.time_base) - clock_.begin));
        const std::string what = fmt::format(
            "{}{} ({}) is left out{}: it is encrypted{}", file > 0 ? "" : fmt::format("stream {}, ", stream.index),
            av_get_media_type_string(stream.codecpar->codec_type), avcodec_get_name(stream.codecpar->codec_id), from,
            way_to_decrypt(stream.index));
        if (options_.strict) {
            throw Error(ExitCode::damaged, what + "; --strict was given");
        }
        damage.note(what);
    }
    if (file > 0) {
        stack_->with_files->file(file).found(damage);
    } else if (clip > 0) {
        stack_->appended->found(clip, damage);
    } else {
        stack_->account->found(damage);
    }
    return true;
}

bool Demuxer::has_key(int stream) const {
    return file_of(stream) == 0 && vfilter::has_key(options_);
}

std::string Demuxer::way_to_decrypt(int stream) const {
    const int file = file_of(stream);
    const AVInputFormat& demuxer = file > 0 ? stack_->with_files->file(file).demuxer() : *stack_->format->iformat;
    const std::string_view key = demuxer_facts(demuxer).key;
    return key.empty()
               ? ""
               : fmt::format("; FFmpeg decrypts it with {} {}=HEX", file > 0 ? "--add-option" : "--input-option", key);
}

}  // namespace vfilter
