#pragma once
// What an exception means to the user: an exit code and a sentence.

#include <exception>
#include <string>

#include "config/error.h"

namespace vfilter {

struct Failure {
    ExitCode code;
    std::string message;
};

/// Of Errors their own, of all else ExitCode::internal. Only where the sentence is the exception's own memory is needed
/// for it: that there is none can always be said.
Failure failure_of(const std::exception_ptr& error);

}  // namespace vfilter
