#pragma once
// Packets in, pictures out, on the CPU: reproducible for damaged packets, with any number of threads.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "io/codec/decoded_picture.h"
#include "io/codec/decoding_run.h"
#include "io/codec/packet_history.h"
#include "io/formats/frame_pool.h"

namespace vfilter {

/// **Damage is reproducible.** What libavcodec's threads make of a damaged packet depends on which of them is first,
/// and what a picture's missing parts contain depends on what was in its memory. So once a thread reports an error,
/// none of their further output is passed on: decoding goes back to the last random-access point whose picture came out
/// undamaged, and continues in one thread, which skips what was already passed on, until such a point is well behind it
/// again: from there on the threads continue. The bytes and counts are the same for any number of threads. For
/// undamaged input this costs nothing but keeping the packets since that point, up to a limit: beyond it, and for live
/// inputs, damage is decoded as it comes.
///
/// Packets are numbered from 0. One thread; libavcodec's own threads are inside.
class CpuDecoding {
public:
    /// `threads`: 0 is one per core. `lead`: that many packets, the first ones, only serve those after them, and
    /// nothing is reported about them; their pictures come out like others. `pool` must outlive this. Throws
    /// Error(input) if nothing can decode the stream.
    CpuDecoding(DecodingSetup setup, FramePool& pool, int threads, std::int64_t lead = 0);

    /// Null for the end. After each call, take every picture with receive().
    void send(const AVPacket* packet);
    /// False when another packet is needed, or when all pictures are out: then `next` has what was reported since the
    /// last picture. A damaged picture has AV_FRAME_FLAG_CORRUPT or decode_error_flags.
    bool receive(DecodedPicture& next);
    /// What was reported since the last picture; it is not reported again then. Without a picture.
    DecodedPicture said();
    /// See FrameSource.
    void look_on(const std::function<bool(bool)>& look) { look_ = look; }

    /// The last error that was logged, "" if there was none.
    [[nodiscard]] std::string complaint() const;
    /// Whether all pictures are out.
    [[nodiscard]] bool ended() const { return ended_; }
    /// How many packets, counted from the first, the decoder had seen when it output its latest picture.
    [[nodiscard]] std::int64_t known() const { return known_; }
    /// Whether the first packet after the lead is a random-access point whose picture came out undamaged, with no
    /// earlier damage still having an effect. True if there is no lead.
    [[nodiscard]] bool enters_whole() const { return enters_whole_; }
    /// How often decoding went back.
    [[nodiscard]] std::int64_t times_repeated() const { return times_repeated_; }

    /// The most packets that are kept to be decoded again. Almost all groups of pictures are shorter.
    static constexpr std::size_t max_kept = 1000;
    static constexpr std::size_t max_kept_bytes = std::size_t{64} << 20U;

private:
    // Where decoding may begin: at the stream's first packet, or at one whose picture came out undamaged.
    struct Anchor {
        std::int64_t number = 0;  // of the packet
        bool first = true;
        DecodingStart start{};
    };

    void begin(bool threaded, const Anchor& anchor, std::int64_t whole_to);
    void feed();
    std::int64_t finds_left_out(int got, const AVFrame& picture);
    bool goes_back(std::int64_t fault);
    bool goes_on_in_threads(bool at_end);
    bool is_repeated(std::int64_t number);
    bool rests(std::int64_t number);
    bool makes_anchor(std::int64_t number);
    bool awaits_anchor(std::int64_t fault);
    void stop_waiting();
    [[nodiscard]] bool is_damaged(const AVFrame& picture, std::int64_t number) const;
    void hand_on(FramePtr picture, std::int64_t number, DecodedPicture& next);
    void handed_on(std::int64_t number);
    void forget();
    void tell(DecodedPicture& next);
    void know(std::int64_t number) { known_ = std::max(known_, number + 1); }
    [[nodiscard]] std::int64_t fed() const { return history_.place() - 1; }

    FramePool& pool_;
    int threads_;
    DecodingSetup setup_;
    std::int64_t lead_;
    PacketHistory history_;
    std::function<bool(bool)> look_;
    std::int64_t known_ = 0;
    bool at_end_ = false;        // no more packets come
    bool drained_ = false;       // the run knows that
    bool ends_group_ = false;    // the run was given an end that is only a group's
    bool ended_ = false;         // and the caller
    bool refused_ = false;       // the last packet, by libavcodec
    bool marked_ = false;        // as damaged, by the demuxer, or because it is the first and no key frame
    std::int64_t told_off_ = 0;  // packets that were refused, since the last picture
    std::int64_t carried_ = 0;   // errors of earlier runs that have not been reported

    bool repeatable_;  // decoding can go back at all
    bool enters_whole_;
    std::optional<Anchor> anchor_;  // the last one; empty if it is too far behind
    std::optional<Anchor> rest_;    // in one thread: the first one after damage, whose picture and what comes after it
                                    // are handed on by the next run, if all is whole so far
    std::deque<std::int64_t> begins_;    // random-access points in the run whose pictures have not come out
    std::int64_t faulty_ = -1;           // no packet up to here can become an anchor
    std::int64_t newest_ = -1;           // packet of a picture that was handed on
    std::multiset<std::int64_t> given_;  // packets of these, if they may come again
    std::int64_t times_repeated_ = 0;

    // For the current run.
    bool threaded_ = true;
    Anchor begun_{};
    std::int64_t whole_to_ = -1;  // packet up to which all are known to be whole: what is said of them means nothing
    std::int64_t doubts_ = 0;     // errors that were heard of
    std::int64_t told_complaints_ = 0;
    std::set<std::int64_t> holes_;          // packets whose pictures have parts that were not written
    std::int64_t awaited_ = -1;             // a random-access point before a fault, whose picture has not come out
    std::int64_t held_back_ = 0;            // packets that were refused in the meantime
    bool found_ = true;                     // the anchor's picture has come out again
    std::multiset<std::int64_t> repeated_;  // packets whose pictures were passed on before, and will come again
    std::string last_complaint_;            // from earlier runs
    std::unique_ptr<DecodingRun> run_;
};

}  // namespace vfilter
