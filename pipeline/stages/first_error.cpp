#include "pipeline/stages/first_error.h"

#include <fmt/format.h>

#include <new>

#include "pipeline/failure.h"

namespace vfilter {

namespace {

std::exception_ptr named(const std::exception_ptr& error, std::string_view stage) {
    const Failure failure = failure_of(error);
    return std::make_exception_ptr(Error(failure.code, fmt::format("{}: {}", stage, failure.message)));
}

}  // namespace

void FirstError::keep(std::string_view stage) {
    // As it is, where there is no memory for a text about it.
    std::exception_ptr error = std::current_exception();
    try {
        error = named(error, stage);
    } catch (const std::bad_alloc&) {
    }
    const std::lock_guard lock(mutex_);
    if (!error_) {
        error_ = error;
    }
}

std::exception_ptr FirstError::get() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

void FirstError::rethrow_if_any() const {
    if (const std::exception_ptr error = get()) {
        std::rethrow_exception(error);
    }
}

}  // namespace vfilter
