#pragma once
// What a run asks of an input.

#include <utility>

#include "config/io_options.h"

namespace vfilter {

/// What the user says about an input, and what the run decides beside it. A plain value.
struct InputRequest : InputOptions {
    InputRequest() = default;
    explicit InputRequest(InputOptions said) : InputOptions(std::move(said)) {}

    unsigned wanted = ~0U;  ///< kinds of streams that the run has a use for, of kind::
    bool beside = false;    ///< it is a file that is added to another input
    bool streamed = false;  ///< the output is an address, which takes the video at its own pace
    bool sha256 = false;    ///< a report wants the sum of its bytes
};

}  // namespace vfilter
