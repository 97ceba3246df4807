#pragma once
// A stream of sound, decoded.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/demuxer.h"
#include "io/log/complaints.h"

namespace vfilter {

/// Some samples, as they were decoded.
struct SoundPiece {
    FramePtr frame;            ///< null where there is none now
    bool begins_clip = false;  ///< the first of a file that follows another
};

/// Gives them in their order, over all files that follow each other, each of which has a decoder of its own, and knows
/// what of the stream is damaged. What a codec fills its last packet up with is taken off.
class SoundPieces {
public:
    /// For the stream of the input with this number, which must outlive it. If decoding may begin `within` the stream,
    /// the first packets may lean on those before them, and are no damage. Throws Error(input) where it is refused.
    SoundPieces(const Demuxer& input, int stream, bool within);

    /// A packet of the stream; null for the end. Take all pieces with receive() before the next one. With --strict
    /// damage is Error(damaged), here and in the others.
    void send(const AVPacket* packet);
    /// One less than there are, until the end: the last one is another.
    SoundPiece receive();
    /// Whether all have been received.
    [[nodiscard]] bool ended() const { return decoded_all_ && !held_.frame; }

    /// Of the samples, as far as that is known.
    [[nodiscard]] AVSampleFormat format() const { return decoder_->sample_fmt; }
    /// In each packet of the codec; 0 where they differ.
    [[nodiscard]] int packet_samples() const { return decoder_->frame_size; }
    /// Of the input: all of a file, of others by what has come.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// The same with what was read for other streams. After the end, when nobody reads.
    [[nodiscard]] std::int64_t bytes_read() const;

    /// Up to where there is sound, in samples: damage is told with that place.
    void reached(std::optional<std::int64_t> sample) { reached_ = sample; }
    /// Packets that cannot be what they are, which somebody else has found.
    void note_damage(const std::string& what) { note_damage(damage_.packets, what); }
    [[nodiscard]] Damage damage() const;

private:
    void open_decoder(const AVCodecParameters& parameters);
    void begin_clip(int clip);
    [[nodiscard]] SoundPiece next();
    [[nodiscard]] SoundPiece decode();
    void cut_filling(AVFrame& frame) const;
    void note_damage(std::int64_t& count, const std::string& what);
    void note_refusal();

    const Demuxer& input_;
    const AVStream& stream_;
    bool within_;
    CodecContextPtr decoder_;
    int clip_ = 0;                      // of the packets that come: see clip_of()
    bool clip_begins_ = false;          // the next one decoded is its first
    std::deque<SoundPiece> clip_ends_;  // what was still inside of the decoder of the one before
    SoundPiece held_;                   // the latest one decoded: whether it is the last decides where it ends
    bool began_ = false;                // something has been decoded
    bool decoded_all_ = false;
    std::int64_t bytes_ = 0;
    std::optional<std::int64_t> reached_;
    Complaints complaints_;
    std::int64_t told_complaints_ = 0;
    Damage damage_;          // of the file at hand
    Damage earlier_damage_;  // of those before it
};

}  // namespace vfilter
