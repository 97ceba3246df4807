#pragma once
// Decodes an audio stream.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/demuxer.h"
#include "io/log/complaints.h"

namespace vfilter {

/// Some samples, as decoded.
struct SoundPiece {
    FramePtr frame;            ///< null if there is none now
    bool begins_clip = false;  ///< the first of a file that follows another
};

/// Returns them in order, over all consecutive files, each of which has its own decoder, as has a live input that came
/// back with other parameters, and records which parts of the
/// stream are damaged. The padding that a codec adds to its last packet is removed.
class SoundPieces {
public:
    /// For the stream of the input with this number, which must outlive it. If decoding may begin `within` the stream,
    /// the first packets may depend on earlier ones, which does not count as damage. Throws Error(input) if it is
    /// refused.
    SoundPieces(const Demuxer& input, int stream, bool within);

    /// A packet of the stream; null for the end. Take all pieces with receive() before the next one. With --strict
    /// damage is Error(damaged), here and in the other functions.
    void send(const AVPacket* packet);
    /// The next piece; always holds one back until the end, as the last one is treated differently.
    SoundPiece receive();
    /// Whether all have been received.
    [[nodiscard]] bool ended() const { return decoded_all_ && !held_.frame; }

    /// Format of the samples, as far as it is known.
    [[nodiscard]] AVSampleFormat format() const { return decoder_->sample_fmt; }
    /// Samples per packet of the codec; 0 if that varies.
    [[nodiscard]] int packet_samples() const { return decoder_->frame_size; }
    /// Size of the input: all of a file, otherwise what has arrived.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// The same including what was read for other streams. After the end, when nobody reads.
    [[nodiscard]] std::int64_t bytes_read() const;

    /// How far there is sound, in samples: reports of damage give that place.
    void reached(std::optional<std::int64_t> sample) { reached_ = sample; }
    /// Counts packets that somebody else has found to be impossible.
    void note_damage(const std::string& what) { note_damage(damage_.packets, what); }
    [[nodiscard]] Damage damage() const;

private:
    void open_decoder(const AVCodecParameters& parameters);
    void drain();
    void begin_clip(int clip);
    void go_on_with(const AVPacket& packet, const AVCodecParameters* parameters);
    [[nodiscard]] SoundPiece next();
    [[nodiscard]] SoundPiece decode();
    void cut_filling(AVFrame& frame) const;
    void note_damage(std::int64_t& count, const std::string& what);
    void note_refusal();

    const Demuxer& input_;
    const AVStream& stream_;
    bool within_;
    CodecContextPtr decoder_;
    int clip_ = 0;                                   // of the arriving packets: see clip_of()
    bool clip_begins_ = false;                       // the next one decoded is its first
    std::deque<SoundPiece> drained_;                 // what was still inside the previous decoder
    const AVCodecParameters* parameters_ = nullptr;  // where they are others than the stream's at first
    BufferPtr owner_;                                // of these
    SoundPiece held_;     // the latest one decoded: whether it is the last decides where it ends
    bool began_ = false;  // something has been decoded
    bool decoded_all_ = false;
    std::int64_t bytes_ = 0;
    std::optional<std::int64_t> reached_;
    Complaints complaints_;
    std::int64_t told_complaints_ = 0;
    Damage damage_;          // of the file at hand
    Damage earlier_damage_;  // of those before it
};

}  // namespace vfilter
