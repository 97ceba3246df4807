#pragma once
// How hardware does at a video's ranges.

#include <mutex>
#include <optional>
#include <string>

#include "io/codec/frame_source.h"
#include "io/codec/ranged/range_limits.h"

namespace vfilter {

/// How many sessions hardware has, whether it is still used, and what the CPU had to decode in its place. Any thread.
/// Nothing here waits, and nothing else is locked from here, so that it may be asked under any other lock.
class HardwareRecord {
public:
    explicit HardwareRecord(const RangeLimits& limits) : most_(limits.sessions), most_failures_(limits.failures) {}

    /// A session was made.
    void made();
    /// None could be made, for that reason. If others were, there will be no more than those, and that is false: who
    /// wanted one is of no use. Else hardware is given up.
    bool not_made(const std::string& why);
    /// A range was decoded by it.
    void succeeded();
    /// The CPU decodes a range again, or from the start. `failed`: because hardware could not.
    void left_to_cpu(const std::string& why, bool failed);

    /// Why it is used no more.
    [[nodiscard]] std::optional<std::string> given_up() const;
    /// Sessions that were made, and so many at most.
    [[nodiscard]] int sessions() const;
    [[nodiscard]] int most_sessions() const;
    /// Fills in `sessions`, `on_cpu` and `why_on_cpu`.
    void tell(DecodeFacts& facts) const;

private:
    mutable std::mutex mutex_;
    int most_;
    int most_failures_;
    int sessions_ = 0;
    int failures_ = 0;  // in a row
    std::optional<std::string> given_up_;
    std::int64_t on_cpu_ = 0;
    std::string why_on_cpu_;
};

}  // namespace vfilter
