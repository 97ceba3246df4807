#pragma once
// The error that ends a run: of several stages that fail, the one that failed first.

#include <exception>
#include <mutex>
#include <string_view>

namespace vfilter {

/// Thread-safe.
class FirstError {
public:
    /// To be called in a catch block: keeps what is being handled, with the stage's name in front, unless there is an
    /// error already. Errors keep their exit code; all else becomes Error(internal), or stays what it is where memory
    /// does not suffice for that.
    void keep(std::string_view stage);
    /// Null if there is none.
    [[nodiscard]] std::exception_ptr get() const;
    void rethrow_if_any() const;

private:
    mutable std::mutex mutex_;
    std::exception_ptr error_;
};

}  // namespace vfilter
