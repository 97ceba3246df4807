#pragma once
// Opening an input and encoders, during which a library may be busy for minutes, or hang, and cannot be interrupted.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "pipeline/session/stop_requests.h"

namespace vfilter {

/// Runs a task of an opening in another thread. It is no longer waited for once a signal arrived some time ago, or once
/// the task has neither read nor asked whether it should end for as long as --stall-timeout says. Then hung() is true,
/// an Error is thrown, and the thread is left behind with what it uses. One thread; tick() may be called by any.
class Opening {
public:
    /// `stall_timeout`: seconds, 0 for ever.
    Opening(const StopRequests& stop, double stall_timeout) : stop_(stop), stall_timeout_(stall_timeout) {}

    /// `what` is being opened: "the input". Throws what the task throws.
    void run(std::string_view what, std::function<void()> task);
    /// Signals that the task is making progress.
    void tick() { ticks_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] bool hung() const { return hung_; }

private:
    const StopRequests& stop_;
    double stall_timeout_;
    std::atomic<std::int64_t> ticks_{0};
    bool hung_ = false;
};

}  // namespace vfilter
