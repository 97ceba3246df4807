#pragma once
// Packets in, pictures out, in display order and with a timestamp each.

#include <cstdint>
#include <string>

#include "io/codec/frame_pool.h"
#include "io/input/complaints.h"
#include "io/input/demuxer.h"
#include "io/input/picture_account.h"

namespace vfilter {

/// Whether each packet of a stream is decoded without others, so that any may be left out.
bool has_independent_packets(const AVStream& stream);

/// Decodes one video stream into pictures of `pool`. One thread; libavcodec's own threads are inside. Of a live input
/// none are held back for the sake of speed.
class Decoder {
public:
    /// `stream`: number of the video in `input`. `threads`: 0 is one per core. `pool` must outlive the decoder. Throws
    /// Error(input) if nothing can decode the stream, or if its pictures are larger than the input allows.
    Decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict);

    /// Gives a packet, null for the end. After each call, take every picture with receive().
    void send(const AVPacket* packet);
    /// The next picture, or null when another packet is needed or all are out. pts are in the stream's time base,
    /// strictly rising, guessed where the input has none; the duration is 0 if unknown. The format has no J.
    FramePtr receive();

    /// The last error that the decoder has logged, "" if there was none.
    [[nodiscard]] std::string complaint() const { return complaints_.latest(); }
    /// All of it only when receive() has given everything after the end of the input.
    [[nodiscard]] Damage damage() const;

private:
    static int get_buffer(AVCodecContext* context, AVFrame* frame, int flags);
    void date(AVFrame& frame);
    void note_damage(std::int64_t& count, const char* what);
    void note_complaints();
    void check_size(int width, int height) const;
    [[nodiscard]] std::string place() const;

    FramePool& pool_;
    bool strict_;
    AVRational time_base_;
    std::int64_t usual_duration_;
    std::int64_t last_pts_ = AV_NOPTS_VALUE;
    std::int64_t last_duration_ = 0;
    std::int64_t max_pixels_;
    PictureAccount account_;
    bool ended_ = false;
    Complaints complaints_;
    std::int64_t told_complaints_ = 0;
    Damage damage_;
    CodecContextPtr context_;
};

}  // namespace vfilter
