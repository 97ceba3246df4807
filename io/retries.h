#pragma once
// Further tries at what was lost.

#include <functional>
#include <string_view>

namespace vfilter {

/// Counts failures in a row. One thread.
class Retries {
public:
    /// `allowed`: so many failures are followed by another try.
    explicit Retries(int allowed) : allowed_(allowed) {}

    /// It works: failures are counted anew.
    void forget() { failures_ = 0; }
    /// Whether there is another try.
    [[nodiscard]] bool left() const { return failures_ < allowed_; }
    /// Before another try: warns of the failure `what`, and that it is `done` again ("opened"), and waits 0.5 s, later
    /// up to 5 s. False where `interrupted` became true meanwhile.
    [[nodiscard]] bool wait(std::string_view what, std::string_view done, const std::function<bool()>& interrupted);

private:
    int allowed_;
    int failures_ = 0;
};

}  // namespace vfilter
