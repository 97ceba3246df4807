#pragma once
// What went wrong, as the C interface tells it.

#include <stdexcept>
#include <string>

#include "vfilter/vfilter.h"

namespace vfilter {

/// A status and its sentence, without a full stop.
class Failure : public std::runtime_error {
public:
    Failure(vfilter_status status, const std::string& what) : std::runtime_error(what), status_(status) {}
    [[nodiscard]] vfilter_status status() const { return status_; }

private:
    vfilter_status status_;
};

}  // namespace vfilter
