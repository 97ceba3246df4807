#pragma once
// The only place that depends on how FFmpeg's interfaces differ between 5.1 (Debian 12) and 7.1 (Debian 13).

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#include "io/handles.h"

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
}

namespace vfilter {

/// Whether every item of HEIF is a stream, rather than only the primary one.
constexpr bool reads_every_heif_item = LIBAVFORMAT_VERSION_MAJOR >= 61;
/// Whether of AVIF alone, whose one picture lies in one piece, behind its number.
constexpr bool reads_plain_avif_alone = LIBAVFORMAT_VERSION_MAJOR < 60;
/// Whether its rotation and mirroring are read (irot, imir).
constexpr bool reads_heif_rotation = LIBAVFORMAT_VERSION_MAJOR >= 62;

/// Whether the main picture of a file (HEIC, AVIF) consists of tiles, each a stream of its own. FFmpeg 5.1 and 6 cannot
/// decode such a file.
inline bool is_in_tiles(const AVFormatContext& format) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(61, 1, 100)
    for (unsigned i = 0; i < format.nb_stream_groups; ++i) {
        const AVStreamGroup& group = *format.stream_groups[i];
        if (group.type == AV_STREAM_GROUP_PARAMS_TILE_GRID && group.nb_streams > 1 &&
            (group.disposition & AV_DISPOSITION_DEFAULT) != 0) {
            return true;
        }
    }
#else
    (void)format;
#endif
    return false;
}

inline std::int64_t frame_duration(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame.duration;
#else
    return frame.pkt_duration;
#endif
}

inline void set_frame_duration(AVFrame& frame, std::int64_t duration) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    frame.duration = duration;
#else
    frame.pkt_duration = duration;
#endif
}

#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 0, 0)
inline constexpr AVFrameSideDataType ambient_viewing = AV_FRAME_DATA_AMBIENT_VIEWING_ENVIRONMENT;
#else
inline constexpr auto ambient_viewing =
    static_cast<AVFrameSideDataType>(AV_FRAME_DATA_DYNAMIC_HDR_VIVID + 1);  // which no picture has
#endif

inline bool is_interlaced(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame.interlaced_frame != 0;
#endif
}

inline bool is_key_frame(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame.flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return frame.key_frame != 0;
#endif
}

inline bool is_top_field_first(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame.flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
    return frame.top_field_first != 0;
#endif
}

inline void set_interlaced(AVFrame& frame, bool interlaced) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    frame.flags = interlaced ? frame.flags | AV_FRAME_FLAG_INTERLACED : frame.flags & ~AV_FRAME_FLAG_INTERLACED;
#else
    frame.interlaced_frame = interlaced ? 1 : 0;
#endif
}

inline void set_top_field_first(AVFrame& frame, bool top) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    frame.flags = top ? frame.flags | AV_FRAME_FLAG_TOP_FIELD_FIRST : frame.flags & ~AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
    frame.top_field_first = top ? 1 : 0;
#endif
}

/// Calls `visit` for stream-wide side data (display matrix, mastering display, ...), wherever this FFmpeg keeps it.
template <class Visit>
void for_each_side_data(const AVStream& stream, Visit&& visit) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    for (int i = 0; i < stream.codecpar->nb_coded_side_data; ++i) {
        visit(stream.codecpar->coded_side_data[i]);
    }
#else
    for (int i = 0; i < stream.nb_side_data; ++i) {
        visit(stream.side_data[i]);
    }
#endif
}

/// Room for `size` bytes of side data in an output stream, null if there is no memory.
inline std::uint8_t* new_side_data(AVStream& stream, AVPacketSideDataType type, std::size_t size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    AVPacketSideData* const data =
        av_packet_side_data_new(&stream.codecpar->coded_side_data, &stream.codecpar->nb_coded_side_data, type, size, 0);
    return data != nullptr ? data->data : nullptr;
#else
    return av_stream_new_side_data(&stream, type, size);
#endif
}

/// Copies stream-wide side data that the other stream does not have yet. Throws std::bad_alloc.
inline void copy_side_data(const AVStream& from, AVStream& to) {
    for_each_side_data(from, [&](const AVPacketSideData& data) {
        bool there = false;
        for_each_side_data(to, [&](const AVPacketSideData& own) { there = there || own.type == data.type; });
        if (there) {
            return;
        }
        std::uint8_t* const room = new_side_data(to, data.type, data.size);
        if (room == nullptr) {
            throw std::bad_alloc();
        }
        std::copy_n(data.data, data.size, room);
    });
}

/// Pixel formats that an encoder accepts, terminated by AV_PIX_FMT_NONE, or null if it does not say.
inline const AVPixelFormat* encoder_pixel_formats(const AVCodec& codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void* formats = nullptr;
    avcodec_get_supported_config(nullptr, &codec, AV_CODEC_CONFIG_PIX_FORMAT, 0, &formats, nullptr);
    return static_cast<const AVPixelFormat*>(formats);
#else
    return codec.pix_fmts;
#endif
}

/// What an audio encoder accepts, each list with its own terminator: AV_SAMPLE_FMT_NONE, 0, a layout of no channels.
/// Null if it does not say.
inline const AVSampleFormat* encoder_sample_formats(const AVCodec& codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void* list = nullptr;
    avcodec_get_supported_config(nullptr, &codec, AV_CODEC_CONFIG_SAMPLE_FORMAT, 0, &list, nullptr);
    return static_cast<const AVSampleFormat*>(list);
#else
    return codec.sample_fmts;
#endif
}

inline const int* encoder_sample_rates(const AVCodec& codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void* list = nullptr;
    avcodec_get_supported_config(nullptr, &codec, AV_CODEC_CONFIG_SAMPLE_RATE, 0, &list, nullptr);
    return static_cast<const int*>(list);
#else
    return codec.supported_samplerates;
#endif
}

inline const AVChannelLayout* encoder_channel_layouts(const AVCodec& codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void* list = nullptr;
    avcodec_get_supported_config(nullptr, &codec, AV_CODEC_CONFIG_CHANNEL_LAYOUT, 0, &list, nullptr);
    return static_cast<const AVChannelLayout*>(list);
#else
    return codec.ch_layouts;
#endif
}

/// FFmpeg 5 needs to be told whether get_buffer2 may be called from any thread; later versions assume so.
inline void mark_thread_safe([[maybe_unused]] AVCodecContext& context) {
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    context.thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
}

/// Pictures get the numbers of their packets.
inline void pass_numbers([[maybe_unused]] AVCodecContext& context) {
#ifdef AV_CODEC_FLAG_COPY_OPAQUE
    context.flags |= AV_CODEC_FLAG_COPY_OPAQUE;
#endif
}

/// A device's surfaces are released at once, and not copied.
inline void give_surfaces_at_once([[maybe_unused]] AVCodecContext& context) {
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
    context.hwaccel_flags |= AV_HWACCEL_FLAG_UNSAFE_OUTPUT;
#endif
}

/// Right before the packet is sent.
inline void number_packet([[maybe_unused]] AVCodecContext& context, [[maybe_unused]] AVPacket& packet,
                          std::int64_t number) {
#ifdef AV_CODEC_FLAG_COPY_OPAQUE
    packet.opaque = reinterpret_cast<void*>(static_cast<std::intptr_t>(number));
#else
    context.reordered_opaque = number;
#endif
}

inline std::int64_t picture_number(const AVFrame& frame) {
#ifdef AV_CODEC_FLAG_COPY_OPAQUE
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(frame.opaque));
#else
    return frame.reordered_opaque;
#endif
}

/// Whether a filter is marked as one that needs a hardware device; none is in FFmpeg 5 and 6.
inline bool needs_device([[maybe_unused]] const AVFilter& filter) {
#ifdef AVFILTER_FLAG_HWDEVICE
    return (filter.flags & AVFILTER_FLAG_HWDEVICE) != 0;
#else
    return false;
#endif
}

/// The colour information that libavfilter's picture source needs from 7.0 on, as text that starts with ':'.
inline std::string source_colours([[maybe_unused]] AVColorSpace matrix, [[maybe_unused]] AVColorRange range) {
#if LIBAVFILTER_VERSION_INT >= AV_VERSION_INT(9, 16, 100)
    return ":colorspace=" + std::to_string(static_cast<int>(matrix)) +
           ":range=" + std::to_string(static_cast<int>(range));
#else
    return "";
#endif
}

/// Whether the Matroska muxer writes a display matrix: since 6.1.
inline constexpr bool matroska_holds_rotation = LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 16, 100);

/// Whether it adds Opus' delay, which it writes and every reader subtracts, to the timestamps by itself: 7.1 does, 5.1
/// does not.
inline constexpr bool matroska_adds_delay = LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(61, 0, 100);

/// Number in the name of FFmpeg's device library, which is not linked: the same as libavformat's in 5, 6 and 7.
inline constexpr int device_library_major = LIBAVFORMAT_VERSION_MAJOR;

#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(61, 0, 100)
using WriteBuffer = const std::uint8_t*;
#else
using WriteBuffer = std::uint8_t*;
#endif

}  // namespace vfilter
