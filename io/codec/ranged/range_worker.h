#pragma once
// One session's thread: the ranges that it decodes.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/codec/decoding_run.h"
#include "io/codec/ranged/hardware_record.h"
#include "io/codec/ranged/range_attempt.h"
#include "io/codec/ranged/range_queue.h"
#include "io/codec/ranged/range_session.h"
#include "io/formats/frame_pool.h"

namespace vfilter {

/// Makes a session; called in its thread, those for hardware one at a time. May throw Error.
using MakeRangeSession = std::function<std::unique_ptr<RangeSession>()>;

/// Sessions in hardware, and in the CPU's threads beside it, null for none.
struct RangeSessionMakers {
    MakeRangeSession hardware;
    MakeRangeSession beside{};
};

/// What all workers of a video have in common. Constant while there are any, but for what says otherwise. The queue,
/// the record and the pool must outlive it.
struct RangeWork {
    RangeQueue& queue;
    HardwareRecord& hardware;
    DecodingSetup setup;
    FramePool& pool;
    RangeSessionMakers make;
    PacketPtr closed_entry{};      ///< the video's first packet, if it is one: sessions warm up with it
    std::mutex making{};           ///< held where a session in hardware is made, and before the queue's
    std::atomic<int> starting{0};  ///< sessions in hardware that were asked for, and are not made yet
};

/// Takes range after range and has its session decode them, and the CPU what that fails at. All of it is one thread's;
/// what it shares with others is RangeWork's.
class RangeWorker {
public:
    /// `kind`: by_hardware, or beside_it. `work` must outlive the worker.
    RangeWorker(RangeWork& work, Made kind) : work_(work), kind_(kind) {}

    /// All that there is to do for it. Never throws: what goes wrong stops the queue.
    void run();

private:
    [[nodiscard]] bool begin();
    [[nodiscard]] PacketRange* next_range();
    void decode(PacketRange& range);
    [[nodiscard]] std::string try_first(PacketRange& range);
    [[nodiscard]] std::string try_range(PacketRange& range, RangeSession& session, Made made);
    [[nodiscard]] std::string sort(RangeAttempt& attempt, DecodedPicture next);
    [[nodiscard]] std::string end(RangeAttempt& attempt, const std::string& why);
    void finish_tail(const std::string& why);
    void decode_again(PacketRange& range, const std::string& why);
    [[nodiscard]] bool decode_alone(PacketRange& range);

    RangeWork& work_;
    RangeQueue& queue_ = work_.queue;
    Made kind_;
    std::unique_ptr<RangeSession> first_;  // of that kind
    std::unique_ptr<RangeSession> alone_;  // of one thread, for ranges that hardware is not used for
    std::optional<RangeAttempt> tail_;     // at the range before, whose last pictures are still in the decoder
    PacketRange* ahead_ = nullptr;         // a range that was dealt ahead, to be fed on with
    bool laden_ = false;                   // `first_` has messages of the range that it has had last
};

}  // namespace vfilter
