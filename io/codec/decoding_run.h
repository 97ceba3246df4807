#pragma once
// One libavcodec decoder working on a stream, from one of its packets on.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/bitstream/hevc_headers.h"
#include "io/bitstream/hevc_order.h"
#include "io/bitstream/hevc_slices.h"
#include "io/bitstream/mpeg2_sequences.h"
#include "io/codec/canaries.h"
#include "io/formats/frame_pool.h"
#include "io/handles.h"
#include "io/input/demuxer.h"
#include "io/log/complaints.h"

namespace vfilter {

struct FreeParameters {
    void operator()(AVCodecParameters* codec) const { avcodec_parameters_free(&codec); }
};
using ParametersPtr = std::unique_ptr<AVCodecParameters, FreeParameters>;
/// Throws std::bad_alloc.
ParametersPtr copy_of(const AVCodecParameters& codec);

/// What all runs over a stream have in common.
struct DecodingSetup {
    std::shared_ptr<const AVCodecParameters> codec;  ///< a copy: the demuxer may change its own in the meantime
    AVRational time_base;
    AVRational frame_rate;
    std::int64_t max_pixels;
    bool live;  ///< no picture is held back for the sake of speed
    /// VP8 and VP9 with transparency in additional data of their packets, which FFmpeg's own decoders ignore.
    bool alpha = false;
};

/// For a video as it is in one of the input's clips: see clip_of(). Throws std::bad_alloc.
DecodingSetup decoding_setup(const Demuxer& input, int stream, int clip = 0);

/// Replaces its header by one without SEI messages: for packets that DecoderPackets has read. Throws std::bad_alloc.
void leave_out_messages(DecodingSetup& setup);

/// What a run that begins in the middle needs to know about what came before.
struct DecodingStart {
    std::shared_ptr<const std::vector<std::uint8_t>> extradata{};  ///< null: the stream's
    int delay = -1;       ///< pictures held back for reordering; -1: as the stream says
    bool inside = false;  ///< at a random-access point after the stream's beginning
};

/// One thread drives it; libavcodec's own threads are inside.
class DecodingRun {
public:
    /// `threads`: 0 is one per core. `setup` and `pool` must outlive the run. Throws Error(input) if nothing can decode
    /// the stream.
    DecodingRun(const DecodingSetup& setup, const DecodingStart& start, FramePool& pool, int threads);
    ~DecodingRun() = default;
    DecodingRun(const DecodingRun&) = delete;
    DecodingRun& operator=(const DecodingRun&) = delete;

    /// Null is the end. `number`: `opaque` of the resulting pictures. Both return what libavcodec does. They throw
    /// std::bad_alloc if there is no memory for a picture.
    int send(AVPacket* packet, std::int64_t number);
    int receive(AVFrame& picture);
    /// Whether the decoder must be drained and restarted before that packet is sent: because MPEG's pictures change
    /// their size or, in one thread, because the beginning of the packet's group has been lost.
    [[nodiscard]] bool ends_before(const AVPacket& packet);
    /// After the end: for packets that come nevertheless.
    void begin_anew();
    /// Whether the parts of a picture that a damaged packet leaves out are taken from the previous picture, which makes
    /// the result reproducible: otherwise buffers contain what was in them before. For single-threaded runs; it costs a
    /// copy of each picture.
    void patch(bool patches) { patches_ = patches; }

    /// Of the packets before `end`, all of which have been decoded, and the packet of the picture that has come out, if
    /// any: those for whose pictures the decoder has silently skipped a part, or that have slices running over others.
    /// Each is returned at least once.
    [[nodiscard]] std::vector<std::int64_t> left_out(std::int64_t end, const AVFrame* picture);

    [[nodiscard]] const Complaints& complaints() const { return complaints_; }
    [[nodiscard]] int delay() const { return context_->has_b_frames; }

private:
    static int get_buffer(AVCodecContext* context, AVFrame* frame, int flags);
    static int execute(AVCodecContext* context, int (*decode)(AVCodecContext*, void*), void* arguments, int* results,
                       int count, int size);
    void fill(AVFrame& frame) const;
    static void blacken(AVFrame& frame);
    void check_memory(int result) const;
    void set_up(const DecodingSetup& setup, const DecodingStart& start, int threads);
    void open(const AVCodec& codec);

    FramePool& pool_;
    Complaints complaints_;
    std::atomic<bool> out_of_memory_ = false;
    std::atomic<std::int64_t> begun_ = -1;
    bool patches_ = false;
    bool begins_black_ = false;  // parts of a damaged picture stay as they are
    bool watches_;
    bool reads_hevc_;
    bool shows_all_ = false;  // also pictures that libavcodec does not consider complete
    bool reads_mpeg2_;
    Canaries canaries_;
    HevcHeaders headers_;
    HevcSlices slices_;
    HevcOrder order_;
    Mpeg2Sequences sequences_;
    FramePtr latest_;  // the last picture that came out
    CodecContextPtr context_;
};

}  // namespace vfilter
