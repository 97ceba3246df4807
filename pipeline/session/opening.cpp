#include "pipeline/session/opening.h"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "config/error.h"
#include "io/attended_clock.h"

namespace vfilter {

namespace {

using Clock = std::chrono::steady_clock;

// Half of the two seconds after which a signal ends a run that does not end by itself: the report has the other half,
// on machines with much to do, too.
constexpr std::chrono::milliseconds opening_patience{1000};
constexpr std::chrono::milliseconds opening_look{50};

}  // namespace

void Opening::run(std::string_view what, std::function<void()> task) {
    const auto work = std::make_shared<std::packaged_task<void()>>(std::move(task));
    std::future<void> done = work->get_future();
    try {
        std::thread([work] { (*work)(); }).detach();
    } catch (const std::system_error&) {
        (*work)();  // the system refuses another one
    }
    std::int64_t seen = -1;
    AttendedClock attended;
    Clock::duration moved{};
    std::optional<Clock::time_point> stopped;
    while (done.wait_for(opening_look) != std::future_status::ready) {
        const Clock::time_point now = Clock::now();
        const Clock::duration passed = attended.look(now);
        if (const std::int64_t ticks = ticks_.load(std::memory_order_relaxed); ticks != seen) {
            seen = ticks;
            moved = passed;
        }
        if (stop_.any()) {
            stopped = stopped.value_or(now);
        }
        if (stopped && now - *stopped > opening_patience) {
            hung_ = true;
            throw Error(ExitCode::input, fmt::format("stopped while {} was opened", what));
        }
        if (!stopped && stall_timeout_ > 0 && std::chrono::duration<double>(passed - moved).count() > stall_timeout_) {
            hung_ = true;
            throw Error(ExitCode::internal,
                        fmt::format("{} is being opened: no progress for {:g} s, which --stall-timeout sets", what,
                                    stall_timeout_));
        }
    }
    done.get();
}

}  // namespace vfilter
