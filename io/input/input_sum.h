#pragma once
// SHA-256 of an input while it is read.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "io/sha256.h"

namespace vfilter {

/// For a file, another thread reads the bytes again after the demuxer, in order, while the system still has them in
/// memory, because a demuxer jumps back and forth. For a pipe each byte is summed as it passes. One thread at a time.
class InputSum {
public:
    /// `descriptor` must stay open as long as this exists; it is a regular file if `seekable`.
    InputSum(int descriptor, bool seekable);
    ~InputSum();
    InputSum(const InputSum&) = delete;
    InputSum& operator=(const InputSum&) = delete;

    /// What the demuxer has read, and where.
    void see(std::int64_t offset, std::span<const std::uint8_t> bytes);
    /// The demuxer has reached the end of the input.
    void see_end() { at_end_ = true; }
    /// 64 hexadecimal digits; "" once `stop` is true, for a file that cannot be read to its end, and for a pipe whose
    /// end was not seen. The rest of a file after the wanted part is read now. Once.
    std::string hex(const std::function<bool()>& stop);

private:
    void follow();
    bool read_behind();
    void end_following();

    int descriptor_;
    std::unique_ptr<Sha256Thread> passing_;  // of a pipe
    bool at_end_ = false;
    Sha256 sum_;  // of a file: used by the thread
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t read_to_ = 0;  // by the demuxer
    bool to_the_end_ = false;   // do not wait for anything
    bool followed_ = false;     // the thread has ended
    bool whole_ = false;        // and has read everything
    std::atomic<bool> stopped_{false};
    std::thread thread_;
};

}  // namespace vfilter
