#pragma once
// Converts plain text subtitles from one container's format to another's.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/codec/shown_words.h"
#include "io/handles.h"

namespace vfilter {

/// What subtitles are converted to.
struct SubtitleConversion {
    AVCodecID to;
    bool keeps_layout;  ///< false if positions, fonts and styles are lost
};
/// The form in which `container` can hold the text of these subtitles, if it cannot hold them unchanged. Empty for
/// bitmap subtitles.
std::optional<SubtitleConversion> subtitle_conversion(const AVOutputFormat& container, AVCodecID codec);

/// Converts one stream's packets. One thread.
class SubtitleConverter {
public:
    /// Throws Error(output) if this FFmpeg cannot convert.
    SubtitleConverter(const AVStream& from, AVCodecID to);

    /// From now on a packet is complete when its time comes, whatever follows: for containers that are written in
    /// pieces. What arrives late is then displayed late.
    void give_at_once() { at_once_ = true; }

    /// The packets that are complete with this one, in the clock of the stream that they come from. If the new format
    /// shows one text after the other, overlapping text is displayed together (see WordsInTurn), and a packet is
    /// complete when the next one arrives, or its time is over; this also applies to packets without a duration in any
    /// format. Text that is not UTF-8 is read as Windows-1252.
    std::vector<PacketPtr> convert(const AVPacket& packet);
    /// Pictures and sound have reached `time`: nothing that begins ten seconds earlier will come any more.
    std::vector<PacketPtr> advance(std::int64_t time);
    /// Nothing will come any more.
    std::vector<PacketPtr> finish();

    /// Packets whose text is not completely in the output: too many at once, or too late.
    [[nodiscard]] std::int64_t left_out() const { return left_out_; }
    /// Packets that are not valid subtitles of their format.
    [[nodiscard]] std::int64_t undecoded() const { return undecoded_; }
    /// For the output stream.
    [[nodiscard]] const AVCodecContext& context() const { return *encoder_; }

private:
    void tell_layout(const std::string& event);
    [[nodiscard]] PacketPtr encode(const ShownWords& words);
    void show(ShownWords words, std::vector<PacketPtr>& made);
    void end_open(std::int64_t time, std::vector<PacketPtr>& made);
    void take_until(std::int64_t time, std::vector<PacketPtr>& made);

    CodecContextPtr decoder_;
    CodecContextPtr encoder_;
    std::optional<WordsInTurn> in_turn_;
    std::vector<ShownWords> open_;  // without a duration, and not yet output
    EventRules rules_;
    AVRational base_;
    std::int64_t latest_ = INT64_MIN;  // time of pictures and sound
    int stream_;
    bool at_once_ = false;
    bool told_western_ = false;
    bool tells_layout_ = false;  // in which words keep little but bold and italic, and that was not told beforehand
    std::set<std::string> told_layout_;
    std::int64_t left_out_ = 0;
    std::int64_t undecoded_ = 0;
};

}  // namespace vfilter
