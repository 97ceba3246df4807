#pragma once
// The threads of a video's sessions.

#include <cstdint>
#include <thread>
#include <vector>

#include "io/codec/ranged/range_worker.h"

namespace vfilter {

/// Starts workers as ranges come that nobody is there for. The receiver's thread alone; destroying it stops the queue
/// and waits for them.
class RangeWorkers {
public:
    /// The queue, the record and the pool must outlive the workers, as must all that the makers refer to.
    RangeWorkers(RangeQueue& queue, HardwareRecord& hardware, DecodingSetup setup, FramePool& pool,
                 RangeSessionMakers make);
    ~RangeWorkers();
    RangeWorkers(const RangeWorkers&) = delete;
    RangeWorkers& operator=(const RangeWorkers&) = delete;

    /// Sessions are to warm up with that, a closed entry. Before the first help(). Throws std::bad_alloc.
    void warm_up_with(const AVPacket& closed_entry);
    /// A session more if those that are about to be there are fewer than so many ranges, and the record allows it; with
    /// the first one in hardware comes the CPU's beside it. Where the system has no more threads, those that are there
    /// do it; throws Error(internal) if there is none.
    void help(std::int64_t ranges);

private:
    RangeWork work_;
    std::vector<std::thread> threads_;
    std::thread beside_;
};

}  // namespace vfilter
