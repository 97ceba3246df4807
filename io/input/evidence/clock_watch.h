#pragma once
// Timestamps that leave their sequence and come back to it.

#include <cstdint>
#include <optional>

namespace vfilter {

/// Distinguishes a single wrong timestamp from a clock that restarts, as it does where files were joined: after the
/// wrong one, time continues as if it had not been there.
class ClockWatch {
public:
    explicit ClockWatch(double tolerance) : tolerance_(tolerance) {}

    /// Takes the next timestamp, in seconds, which is at `offset`. Returns whether the previous one was wrong.
    bool jumped(double seconds, std::int64_t offset) {
        const bool wrong = before_ && last_ && seconds >= *before_ &&
                           (*last_ > seconds + tolerance_ || *last_ < *before_ - tolerance_);
        where_ = last_at_;
        before_ = wrong ? before_ : last_;
        last_ = seconds;
        last_at_ = offset;
        return wrong;
    }
    /// Where that one is.
    [[nodiscard]] std::int64_t where() const { return where_; }

private:
    double tolerance_;
    std::optional<double> before_, last_;
    std::int64_t last_at_ = 0;
    std::int64_t where_ = 0;
};

}  // namespace vfilter
