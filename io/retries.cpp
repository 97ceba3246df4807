#include "io/retries.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "io/interruptible_wait.h"

namespace vfilter {

bool Retries::wait(std::string_view what, std::string_view done, const std::function<bool()>& interrupted) {
    constexpr std::chrono::milliseconds first_delay{500};
    constexpr std::chrono::milliseconds max_delay{5000};
    const auto delay = std::min(max_delay, first_delay * (1 << std::min(failures_, 4)));
    ++failures_;
    spdlog::warn("{}; it is {} again in {:.1f} s ({} of {})", what, done, std::chrono::duration<double>(delay).count(),
                 failures_, allowed_);
    return wait_until(std::chrono::steady_clock::now() + delay, interrupted);
}

}  // namespace vfilter
