#include "io/output/write_packet.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "io/containers.h"

namespace vfilter {

namespace {

constexpr std::string_view y4m_frame = "FRAME\n";

bool miscounts_chroma(const AVFormatContext& output, const AVCodecParameters& codec) {
    if (codec.codec_id != AV_CODEC_ID_WRAPPED_AVFRAME || !container_of(*output.oformat).has(fact::y4m)) {
        return false;
    }
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(codec.format));
    return d != nullptr && d->comp[0].depth > 8 && codec.width % (1 << d->log2_chroma_w) != 0;
}

}  // namespace

int write_packet(AVFormatContext& output, AVPacket* packet) {
    if (packet == nullptr || !miscounts_chroma(output, *output.streams[packet->stream_index]->codecpar)) {
        return av_interleaved_write_frame(&output, packet);
    }
    AVStream& stream = *output.streams[packet->stream_index];
    const auto& picture = *reinterpret_cast<const AVFrame*>(packet->data);
    const auto format = static_cast<AVPixelFormat>(stream.codecpar->format);
    const int size = av_image_get_buffer_size(format, stream.codecpar->width, stream.codecpar->height, 1);
    if (size < 0) {
        return size;
    }
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
    if (const int copied = av_image_copy_to_buffer(bytes.data(), size, picture.data, picture.linesize, format,
                                                   stream.codecpar->width, stream.codecpar->height, 1);
        copied < 0) {
        return copied;
    }
    avio_write(output.pb, reinterpret_cast<const unsigned char*>(y4m_frame.data()), static_cast<int>(y4m_frame.size()));
    avio_write(output.pb, bytes.data(), size);
    avio_flush(output.pb);  // as the muxer does where somebody waits for it
    ++stream.nb_frames;
    av_packet_unref(packet);
    return output.pb->error;
}

bool is_packets_fault(int error, const AVFormatContext& output, bool sent) {
    constexpr int others[] = {AVERROR(ENOMEM), AVERROR(ENOSPC),     AVERROR(EIO),          AVERROR(EPIPE),
                              AVERROR_EOF,     AVERROR(ECONNRESET), AVERROR(ECONNREFUSED), AVERROR(ETIMEDOUT),
                              AVERROR_EXIT,    AVERROR(ENOTCONN),   AVERROR(EHOSTUNREACH), AVERROR(ENETUNREACH)};
    if (std::ranges::find(others, error) != std::end(others)) {
        return false;
    }
    if (!sent) {
        return true;
    }
    if (output.pb != nullptr) {
        return output.pb->error >= 0;  // once it has failed, FFmpeg sends nothing more through it
    }
    // The connections are the muxer's own. Of packets it speaks in FFmpeg's numbers, and in this one of the system's.
    constexpr int largest_errno = 4095;
    return error < -largest_errno || error == AVERROR(EINVAL);
}

}  // namespace vfilter
