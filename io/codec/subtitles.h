#pragma once
// Plain text subtitles from one container's form to another's.

#include <cstdint>
#include <optional>
#include <vector>

#include "io/codec/shown_words.h"
#include "io/handles.h"

namespace vfilter {

/// What subtitles become.
struct SubtitleConversion {
    AVCodecID to;
    bool keeps_layout;  ///< false where positions, fonts and styles are lost
};
/// In what `container` can hold these subtitles' words, if it cannot hold them as they are. Nothing for pictures.
std::optional<SubtitleConversion> subtitle_conversion(const AVOutputFormat& container, AVCodecID codec);

/// Converts one stream's packets. One thread.
class SubtitleConverter {
public:
    /// Throws Error(output) if this FFmpeg cannot convert.
    SubtitleConverter(const AVStream& from, AVCodecID to);

    /// The packets that are complete with this one, in the clock of the stream that they come from. Where the new form
    /// shows one text after the other, what overlaps is shown together (see WordsInTurn), and a packet is complete
    /// when the next one comes, or its time is over.
    std::vector<PacketPtr> convert(const AVPacket& packet);
    /// Nothing that begins before `time` will come any more.
    std::vector<PacketPtr> advance(std::int64_t time);
    /// Nothing will come any more.
    std::vector<PacketPtr> finish();

    /// Packets whose words are not all in what was given out: too many at once, or too late.
    [[nodiscard]] std::int64_t left_out() const { return left_out_; }
    /// For the output stream.
    [[nodiscard]] const AVCodecContext& context() const { return *encoder_; }

private:
    [[nodiscard]] PacketPtr encode(const ShownWords& words);
    [[nodiscard]] std::vector<PacketPtr> encode_all(const std::vector<ShownWords>& all);

    CodecContextPtr decoder_;
    CodecContextPtr encoder_;
    std::optional<WordsInTurn> in_turn_;
    std::int64_t left_out_ = 0;
};

}  // namespace vfilter
