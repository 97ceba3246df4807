#include "pipeline/stages/first_error.h"

#include <fmt/format.h>

#include <new>

#include "config/error.h"

namespace vfilter {

namespace {

std::exception_ptr named(const std::exception_ptr& error, std::string_view stage) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return std::make_exception_ptr(Error(known.code(), fmt::format("{}: {}", stage, known.what())));
    } catch (const std::bad_alloc&) {
        return std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: out of memory", stage)));
    } catch (const std::exception& other) {
        return std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: {}", stage, other.what())));
    } catch (...) {
        return std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: unknown error", stage)));
    }
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
