#pragma once
// What an exception means for the user: an exit code and a message.

#include <exception>
#include <string>

#include "config/error.h"

namespace vfilter {

struct Failure {
    ExitCode code;
    std::string message;
};

/// For Errors their own code, for everything else ExitCode::internal. Memory is needed only if the message is the
/// exception's own: a lack of memory can always be reported.
Failure failure_of(const std::exception_ptr& error);

}  // namespace vfilter
