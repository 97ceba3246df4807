#include "pipeline/engine/free_choice.h"

#include <fmt/format.h>

#include "config/error.h"

namespace vfilter {

std::string FreeChoice::why() const {
    const std::lock_guard lock(mutex_);
    return why_;
}

std::unique_ptr<FilterEngine> FreeChoice::make_engine(const std::vector<FilterSpec>& filters,
                                                      const PictureFormat& format, FramePool& pool,
                                                      Trace* trace) const {
    if (why().empty()) {
        try {
            return first_->make_engine(filters, format, pool, trace);
        } catch (const Error& error) {
            if (error.code() != ExitCode::device) {
                throw;
            }
            const std::lock_guard lock(mutex_);
            why_ = error.what();
        }
    }
    return other_->make_engine(filters, format, pool, trace);
}

std::vector<int> FreeChoice::gpus() const {
    return why().empty() ? first_->gpus() : other_->gpus();
}

std::string FreeChoice::note() const {
    const std::string reason = why();
    return reason.empty() ? first_->note() : fmt::format("filtering on the CPU: {}", reason);
}

}  // namespace vfilter
