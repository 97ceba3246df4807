#include "io/input/layers/encrypted.h"

extern "C" {
#include <libavutil/encryption_info.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "config/io_options.h"
#include "io/input/layers/known_streams.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

// In an encrypted track there may be packets of which all is clear.
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

Encrypted::Encrypted(std::unique_ptr<PacketSource> inner, PacketAccount& account, const std::vector<int>& filtered,
                     unsigned wanted, bool strict)
    : PacketLayer(std::move(inner)),
      account_(account),
      filtered_(filtered.begin(), filtered.end()),
      wanted_(wanted),
      strict_(strict) {}

// FFmpeg says it of each packet of MP4, unless it has the key, and of a whole track of Matroska.
bool Encrypted::is_encrypted(const AVPacket& packet) const {
    const AVStream& stream = *format().streams[packet.stream_index];
    return has_protected_bytes(packet) ||
           av_dict_get(stream.metadata, "enc_key_id", nullptr, AV_DICT_MATCH_CASE) != nullptr;
}

void Encrypted::leave_out(const AVPacket& packet) {
    const AVStream& stream = *format().streams[packet.stream_index];
    if (!is_wanted(stream.codecpar->codec_type, wanted_)) {
        return;
    }
    const bool begun = read_.contains(packet.stream_index);
    constexpr const char* way = "FFmpeg decrypts MP4 with --input-option decryption_key=HEX";
    if (!begun && filtered_.contains(packet.stream_index)) {
        throw Error(ExitCode::input,
                    fmt::format("the video is encrypted, and cannot be read without its key: {}", way));
    }
    Damage damage{.packets = 1};
    if (told_.insert(packet.stream_index).second) {
        const double time = static_cast<double>(presentation_time(packet)) * av_q2d(stream.time_base);
        const std::string what = fmt::format("stream {} ({}) is left out{}: it is encrypted ({})", packet.stream_index,
                                             avcodec_get_name(stream.codecpar->codec_id),
                                             begun ? fmt::format(" from {:.3f} s on", time) : "", way);
        if (strict_) {
            throw Error(ExitCode::damaged, what + "; --strict was given");
        }
        damage.note(what);
    }
    account_.found(damage);
}

int Encrypted::read(AVPacket& packet) {
    int got = inner().read(packet);
    while (got >= 0 && is_encrypted(packet)) {
        leave_out(packet);
        av_packet_unref(&packet);
        got = inner().read(packet);
    }
    if (got >= 0) {
        read_.insert(packet.stream_index);
    }
    return got;
}

int Encrypted::seek(int stream, std::int64_t latest, int flags) {
    read_.clear();
    told_.clear();
    return PacketLayer::seek(stream, latest, flags);
}

}  // namespace vfilter
