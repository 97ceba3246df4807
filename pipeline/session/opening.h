#pragma once
// The opening of an input and of encoders, in which a library may be at work for minutes, or hang, where nobody can end
// it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "pipeline/session/stop_requests.h"

namespace vfilter {

/// Has a task of an opening done in another thread. Nobody waits for it any more once a signal came a while ago, or it
/// has neither read nor asked whether it should end for as long as --stall-timeout says: then hung() is true, an Error
/// is thrown, and the thread is left behind with what it uses. One thread; tick() is for any.
class Opening {
public:
    /// `stall_timeout`: seconds, 0 for ever.
    Opening(const StopRequests& stop, double stall_timeout) : stop_(stop), stall_timeout_(stall_timeout) {}

    /// `what` is opened: "the input". Throws what the task throws.
    void run(std::string_view what, std::function<void()> task);
    /// The task goes on.
    void tick() { ticks_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] bool hung() const { return hung_; }

private:
    const StopRequests& stop_;
    double stall_timeout_;
    std::atomic<std::int64_t> ticks_{0};
    bool hung_ = false;
};

}  // namespace vfilter
