#pragma once
// Plain text subtitles from one container's form to another's.

#include <optional>

#include "io/handles.h"

namespace vfilter {

/// The codec in which `container` can hold these subtitles without losing anything of them: SubRip's text as mov_text
/// and back. Nothing for pictures, and for formats with layout of their own (ASS, WebVTT).
std::optional<AVCodecID> subtitle_conversion(const AVOutputFormat& container, AVCodecID codec);

/// Converts one stream's packets. One thread.
class SubtitleConverter {
public:
    /// Throws Error(output) if this FFmpeg cannot convert.
    SubtitleConverter(const AVStream& from, AVCodecID to);

    /// The packet in the new form, its timestamps kept; null if it held no text.
    PacketPtr convert(const AVPacket& packet);
    /// For the output stream.
    [[nodiscard]] const AVCodecContext& context() const { return *encoder_; }

private:
    CodecContextPtr decoder_;
    CodecContextPtr encoder_;
};

}  // namespace vfilter
