#pragma once
// Packets in, pictures out, on the CPU: libavcodec's threads.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "io/codec/decoded_times.h"
#include "io/codec/decoding_run.h"
#include "io/codec/frame_pool.h"
#include "io/codec/frame_source.h"
#include "io/codec/packet_history.h"
#include "io/input/demuxer.h"
#include "io/input/picture_account.h"

namespace vfilter {

/// Whether each packet of a stream is decoded without others, so that any may be left out.
bool has_independent_packets(const AVStream& stream);

/// Decodes one video stream into pictures of `pool`. One thread; libavcodec's own threads are inside. Of a live input
/// none are held back for the sake of speed.
///
/// **Damage is reproducible.** What libavcodec's threads make of a damaged packet depends on which of them is first,
/// and what is left out of a picture on what was in its memory. So once one complains, nothing more of what they have
/// made is handed on: decoding goes back to the last random-access point of which the picture came out whole, and on in
/// one thread, which skips what was handed on already, until such a point is well behind it again. The bytes and counts
/// are those of one thread, for any number of them. That costs whole input nothing but the packets since that point,
/// which are kept up to a limit: beyond it, and of live inputs, damage is decoded as it comes.
class Decoder : public FrameSource {
public:
    /// `stream`: number of the video in `input`. `threads`: 0 is one per core. `pool` must outlive the decoder. Throws
    /// Error(input) if nothing can decode the stream, or if its pictures are larger than the input allows.
    Decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict);

    void send(const AVPacket* packet) override;
    FramePtr receive() override;
    void look_on(const std::function<bool()>& look) override { look_ = look; }

    [[nodiscard]] std::string complaint() const override;
    [[nodiscard]] Damage damage() const override;
    /// How often decoding went back.
    [[nodiscard]] std::int64_t times_repeated() const { return times_repeated_; }

    /// Packets that are kept at most to be decoded again. Groups of pictures are shorter nearly everywhere.
    static constexpr std::size_t max_kept = 1000;
    static constexpr std::size_t max_kept_bytes = std::size_t{64} << 20U;

private:
    // Where decoding may begin: at the stream's first packet, or at one of which the picture was handed on whole.
    struct Anchor {
        std::int64_t number = 0;     // of the packet
        std::int64_t handed_on = 0;  // pictures before its own
        bool first = true;
        DecodingStart start{};
    };

    void begin(bool threaded, const Anchor& anchor, std::int64_t whole_to);
    void feed();
    bool finds_left_out(int got, const AVFrame& picture);
    bool goes_back(bool fault);
    void goes_on_in_threads();
    bool is_repeated(std::int64_t number);
    void handed_on(std::int64_t number);
    void forget();
    void account_to(std::int64_t number);
    [[nodiscard]] std::int64_t fed() const { return history_.place() - 1; }

    void finish(AVFrame& frame);
    void note_damage(std::int64_t& count, const char* what);
    void note_complaints();
    [[nodiscard]] std::string place() const { return times_.place(); }

    FramePool& pool_;
    bool strict_;
    int threads_;
    int usual_threads_ = 1;  // that work on whole input
    DecodingSetup setup_;
    DecodedTimes times_;
    PictureAccount account_;
    std::int64_t accounted_ = 0;  // packets that it knows of
    PacketHistory history_;
    std::function<bool()> look_;
    bool at_end_ = false;   // no more packets come
    bool drained_ = false;  // the run knows that
    bool ended_ = false;
    bool refused_ = false;  // the last packet, by libavcodec
    bool marked_ = false;   // as damaged, by the demuxer
    Damage damage_;

    bool repeatable_;                  // decoding can go back at all
    std::optional<Anchor> anchor_;     // the last one; empty where it is too far behind
    std::optional<Anchor> rest_;       // in one thread: the first one after damage, behind which all is whole so far
    std::deque<std::int64_t> begins_;  // random-access points in the run whose pictures have not come out
    std::int64_t faulty_ = -1;         // no packet up to here can be an anchor any more
    std::int64_t pictures_ = 0;        // handed on
    std::int64_t newest_ = -1;         // packet of one of them
    std::int64_t times_repeated_ = 0;

    // Of the run at work.
    bool threaded_ = true;
    Anchor begun_{};
    std::int64_t whole_to_ = -1;  // packet up to which all are known to be whole: what is said of them means nothing
    std::int64_t doubts_ = 0;     // that were heard of
    std::int64_t told_complaints_ = 0;
    std::set<std::int64_t> holes_;  // packets whose pictures have parts that nobody wrote
    bool found_ = true;             // the anchor's picture has come out again
    std::int64_t to_skip_ = 0;
    std::string last_complaint_;  // of runs before
    std::unique_ptr<DecodingRun> run_;
};

}  // namespace vfilter
