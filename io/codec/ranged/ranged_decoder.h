#pragma once
// One video decoded by several sessions at once: its packets are cut into ranges that are decoded by themselves, and
// their pictures are put in order again.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/codec/decoding_run.h"
#include "io/codec/frame_source.h"
#include "io/codec/picture_ledger.h"
#include "io/codec/ranged/range_cutter.h"
#include "io/codec/ranged/range_session.h"
#include "io/formats/frame_pool.h"

namespace vfilter {

/// What limits a RangedDecoder.
struct RangeLimits {
    int sessions = 1;                             ///< at most; made when there is a range for them
    std::size_t pictures = 64;                    ///< decoded and not yet received, at most
    std::size_t kept = 8;                         ///< of them: for the oldest range alone, or all would wait for it
    std::size_t beside = 64;                      ///< of them: of ranges but the oldest, that the CPU decodes beside
    std::size_t bytes = std::size_t{256} << 20U;  ///< of packets, beside those of the oldest range
    std::int64_t packets = 256;                   ///< of the oldest range, where it is the only one, that wait
    std::size_t redo_bytes = std::size_t{128} << 20U;  ///< of a range that is longer nothing can be decoded again
    int failures = 3;                                  ///< in a row, after which nothing is tried in hardware any more
};

/// Each session has a thread. Where hardware keeps the receiver waiting, a session of the CPU's decodes a range beside
/// it. What both fail at, or what their own signs make doubtful, is decoded again by CpuDecoding, as Decoder would have
/// it: from the range before on, which has to be done by then; what was already received is not given twice. A range
/// that begins where nothing can be decoded by itself is the CPU's from the start, and all are where hardware fails
/// again and again. An error of the device itself is thrown by receive().
///
/// Of a range that is too long to be kept nothing can be decoded again: its damage is decoded as it comes, and told. If
/// its session cannot go on at all, CpuDecoding does so behind the range's first picture.
///
/// send() never waits; receive() does so where as much as the limits allow is on its way. Nothing grows with the video.
class RangedDecoder : public FrameSource {
public:
    using MakeSession = std::function<std::unique_ptr<RangeSession>()>;

    /// Sessions in hardware, and in the CPU's threads beside it, null for none.
    struct Makers {
        MakeSession hardware;
        MakeSession beside{};
    };

    /// The makers are called in the sessions' threads. What is decoded again is in pictures of `pool`, which must
    /// outlive the decoder, as must all that the makers refer to.
    RangedDecoder(const Demuxer& input, int stream, FramePool& pool, bool strict, RangeLimits limits, Makers make,
                  Clip which = {});
    ~RangedDecoder() override;

    void send(const AVPacket* packet) override;
    FramePtr receive() override;
    void look_on(const Look& look) override { look_ = look; }
    [[nodiscard]] std::string complaint() const override;
    [[nodiscard]] Damage damage() const override { return ledger_.damage(); }
    [[nodiscard]] DecodeFacts facts() const override;
    [[nodiscard]] bool reads_ahead() const override { return true; }
    [[nodiscard]] std::int64_t passed() const override;

private:
    // Packets, and what comes of them. Guarded by mutex_ but for what only the thread of its session looks at.
    struct Range {
        Entry entry = Entry::none;
        std::int64_t from = AV_NOPTS_VALUE;   // pictures before it are another range's
        std::int64_t until = AV_NOPTS_VALUE;  // and those from here on
        std::string on_cpu;                   // why it is the CPU's from the start
        PacketPtr start;                      // its first packet for who has not seen those before it: see Cut
        std::deque<PacketPtr> packets;        // all, or, where nothing is decoded again, those to come
        std::int64_t first = AV_NOPTS_VALUE;  // pts of its first packet
        std::int64_t own = 0;                 // packets that came for it, without those of the next
        std::int64_t expected = 0;            // pictures that it keeps
        std::int64_t leading = 0;             // of them: that the first range may have, and may not be able to decode
        std::int64_t led_in = 0;              // packets after the first one that the range before keeps
        std::int64_t read = 0;                // packets that its session has got
        std::size_t bytes = 0;
        bool bare = false;       // Cut's
        bool laden = false;      // Cut's, of its last packet
        bool ended = false;      // no more packets
        bool repeatable = true;  // all its packets are there
        bool done = false;       // no more pictures
        bool enters = false;  // once it is done: decoding that begins with it has what all decoding before would have
        std::deque<DecodedPicture> pictures;       // and what was said without one
        std::int64_t last_given = AV_NOPTS_VALUE;  // pts of the last picture that was received
    };
    // What came before ranges_, for what may have to be decoded again.
    struct Gone {
        PacketPtr start;
        std::deque<PacketPtr> packets;
        bool enters;
    };
    enum class Place { before, inside, after };
    // How the first try at a range goes. Its session's thread alone.
    struct Attempt {
        Made made;
        std::int64_t pictures = 0;           // kept
        std::int64_t last = AV_NOPTS_VALUE;  // pts of the last one
        bool settled = false;                // what is said is about pictures that are kept
        std::string early{};                 // what was said before
        bool as_it_comes = false;            // whatever it is, as packets are gone
        // The latest pts among packets before one, by its pts; and pictures that wait until all before theirs have
        // come, as a damaged picture is known by what is told with it, after those that lean on it.
        std::map<std::int64_t, std::int64_t> latest_before{};
        std::int64_t latest_sent = AV_NOPTS_VALUE;
        std::deque<DecodedPicture> held{};
    };

    // What one session's thread has in hand.
    struct Worker {
        Made kind;                              // by_hardware or beside_it
        std::unique_ptr<RangeSession> first{};  // of that kind
        std::unique_ptr<RangeSession> alone{};  // of one thread, for ranges that hardware is not used for
        Range* tail = nullptr;                  // the range before, whose last pictures are still in the decoder
        Attempt of_tail{.made = Made::by_hardware};
        Range* next = nullptr;  // a range that was dealt ahead, to be fed on with
        bool laden = false;     // `first` has messages of the range that it has had last
    };

    // What a packet is to a range that has it.
    struct Share {
        bool own;   // it lies in it, and does not only lead on to the next one
        bool kept;  // and the picture that it shows is given by it
    };
    void add(PacketPtr packet, Range& range, Share share);
    [[nodiscard]] DecodedPicture take_picture(Range& range);
    void note_given(Range& range, const DecodedPicture& given);
    void retire_first();
    void account(std::int64_t packets);
    void add_session();
    void work(Made kind);
    bool begin(Worker& worker);
    void wait_for_others();
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] bool wants_help() const;
    [[nodiscard]] Range* next_range(Worker& worker);
    bool decode(Range& range, Worker& worker);
    void decode_again(Range& range, Worker& worker, const std::string& why);
    void decode_as_one(Range& range);
    void decode_on(Range& range);
    void decode_behind(Range& range, const std::deque<PacketPtr>& before, std::int64_t given);
    [[nodiscard]] bool decode_alone(Range& range, Worker& worker);
    [[nodiscard]] std::deque<PacketPtr> packets_before(const Range& range);
    void finish(Range& range);
    void take_back(Range& range, Made made);
    void finish_tail(Worker& worker, std::string why);
    [[nodiscard]] std::string try_first(Range& range, Worker& worker);
    [[nodiscard]] std::string try_range(Range& range, RangeSession& session, Made made, Worker* worker);
    [[nodiscard]] std::string hear(Range& range, Attempt& attempt, DecodedPicture next);
    [[nodiscard]] std::string sort(Range& range, Attempt& attempt, DecodedPicture next, Worker* worker);
    [[nodiscard]] bool deal_ahead(const Range& range, const RangeSession& session, Worker& worker);
    void release(Range& range, Attempt& attempt, bool all);
    [[nodiscard]] std::string take(Range& range, Attempt& attempt, DecodedPicture next);
    [[nodiscard]] static std::string doubt_of(const DecodedPicture& next, Place place);
    [[nodiscard]] std::string fault_of(const Range& range, Attempt& attempt, const DecodedPicture& next) const;
    [[nodiscard]] bool is_gone(const Range& range) const;
    bool lets_pass(const Range& range, Attempt& attempt, const std::string& why);
    [[nodiscard]] Place place_of(const Range& range, std::int64_t pts) const;
    [[nodiscard]] bool begins_whole(const Range& range) const;
    [[nodiscard]] bool tells(const Range& range) const;
    [[nodiscard]] bool keeps(const Range& range, std::int64_t packet) const;
    [[nodiscard]] static std::string count(const Range& range, const Attempt& attempt);
    [[nodiscard]] PacketPtr next_packet(Range& range, bool anew);
    void deliver(Range& range, DecodedPicture next, Made made);
    void succeed(Range& range, Attempt& attempt);
    void note_failure(const Range& range, Made made, const std::string& why);
    [[nodiscard]] bool is_stopped();
    [[nodiscard]] bool wait_for_progress(std::unique_lock<std::mutex>& lock);
    void put_by(Range& range);
    void stop();
    [[nodiscard]] bool full() const;
    [[nodiscard]] bool is_oldest(const Range& range) const { return &range == ranges_.front().get(); }

    // Ranges of which a later one is decoded again with the packets, at most, where none of them can be entered. Else
    // each would be decoded from the first damaged one on.
    static constexpr std::size_t most_before = 3;

    PictureLedger ledger_;
    Look look_;
    std::chrono::steady_clock::time_point looked_;  // when look_ was last called; the receiver's alone
    std::int64_t told_steps_ = 0;                   // steps_ by then
    DecodingSetup setup_;
    FramePool& pool_;
    RangeLimits limits_;
    Makers make_;
    RangeCutter cutter_;

    std::mutex making_;  // held where a session is made, and before mutex_
    mutable std::mutex mutex_;
    std::condition_variable to_do_;              // sessions wait for ranges and packets
    std::condition_variable room_;               // sessions wait for room for a picture
    std::condition_variable progress_;           // the receiver waits
    std::deque<std::unique_ptr<Range>> ranges_;  // in order; the first is the one whose pictures are received
    std::deque<Gone> gone_;                      // ranges before them, from one that can be entered on: redo_bytes
    std::size_t dealt_ = 0;                      // of ranges_: those that sessions have begun
    std::size_t bytes_ = 0;                      // of packets in ranges_
    std::size_t pictures_ = 0;                   // in ranges_
    std::size_t beside_ = 0;                     // of them: that were decoded beside hardware
    std::int64_t passed_ = 0;                    // packets of ranges that are gone
    std::deque<PacketPtr> unaccounted_;          // those that the ledger has not seen; the receiver's alone
    std::int64_t accounted_ = 0;                 // and how many it has
    PacketPtr closed_entry_;                     // the first packet, if it is one: sessions warm up with it
    int starting_ = 0;                           // sessions that are being made
    int idle_ = 0;                               // and those that wait for a range
    std::int64_t steps_ = 0;                     // packets that were read to be decoded, and pictures that came
    bool receiver_waits_ = false;
    bool starved_ = false;  // when a picture was last asked for there was none
    int failures_ = 0;      // in a row
    bool no_hardware_ = false;
    std::string why_not_;  // hardware is used no more
    bool all_sent_ = false;
    bool picture_given_ = false;  // after the last packet
    bool stopped_ = false;
    std::exception_ptr error_;
    std::string complaint_;
    DecodeFacts facts_;
    std::vector<std::thread> threads_;
    std::thread helper_;
};

}  // namespace vfilter
