#pragma once
// The error that ends a run: if several stages fail, that of the first to fail.

#include <exception>
#include <mutex>
#include <string_view>

namespace vfilter {

/// Thread-safe.
class FirstError {
public:
    /// To be called in a catch block: keeps the exception being handled, prefixed with the stage's name, unless there
    /// is an error already. Errors keep their exit code; everything else becomes Error(internal), or stays unchanged if
    /// there is not enough memory for that.
    void keep(std::string_view stage);
    /// Null if there is none.
    [[nodiscard]] std::exception_ptr get() const;
    void rethrow_if_any() const;

private:
    mutable std::mutex mutex_;
    std::exception_ptr error_;
};

}  // namespace vfilter
