#pragma once
// Requests to end a run early.

#include <atomic>

namespace vfilter {

/// Thread-safe.
struct StopRequests {
    const std::atomic<int>& signal;     ///< its number; 0 until one comes
    std::atomic<bool> quit{false};      ///< by the preview's user
    std::atomic<bool> given_up{false};  ///< readers of pipes are no longer waited for

    [[nodiscard]] int signal_number() const { return signal.load(std::memory_order_relaxed); }
    /// Whether no more input is wanted.
    [[nodiscard]] bool any() const { return signal_number() != 0 || quit.load(std::memory_order_relaxed); }
};

}  // namespace vfilter
