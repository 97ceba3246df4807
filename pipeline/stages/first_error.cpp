#include "pipeline/stages/first_error.h"

#include <fmt/format.h>

#include <new>

#include "config/error.h"

namespace vfilter {

void FirstError::keep(std::string_view stage) {
    std::exception_ptr error;
    try {
        throw;
    } catch (const Error& known) {
        error = std::make_exception_ptr(Error(known.code(), fmt::format("{}: {}", stage, known.what())));
    } catch (const std::bad_alloc&) {
        error = std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: out of memory", stage)));
    } catch (const std::exception& other) {
        error = std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: {}", stage, other.what())));
    } catch (...) {
        error = std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: unknown error", stage)));
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
