#pragma once
// Repeated attempts after a loss.

#include <functional>
#include <string_view>

namespace vfilter {

/// Counts consecutive failures. One thread.
class Retries {
public:
    /// `allowed`: this many failures are followed by another attempt.
    explicit Retries(int allowed) : allowed_(allowed) {}

    /// It works: restarts the count of failures.
    void forget() { failures_ = 0; }
    /// Whether another attempt is allowed.
    [[nodiscard]] bool left() const { return failures_ < allowed_; }
    /// Before another attempt: warns about the failure `what`, says that it is `done` again ("opened"), and waits 0.5
    /// s, later up to 5 s. False if `interrupted` became true in the meantime.
    [[nodiscard]] bool wait(std::string_view what, std::string_view done, const std::function<bool()>& interrupted);

private:
    int allowed_;
    int failures_ = 0;
};

}  // namespace vfilter
