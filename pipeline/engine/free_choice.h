#pragma once
// --device auto: the GPU, as long as it can be used.

#include <memory>
#include <mutex>
#include <string>

#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// Creates engines for one device; from the first failure on, for another device, which note() then reports: other
/// programs may have taken the memory, or there is no code for this GPU. Thread-safe.
class FreeChoice : public FilterDevice {
public:
    FreeChoice(std::unique_ptr<FilterDevice> first, std::unique_ptr<FilterDevice> other)
        : first_(std::move(first)), other_(std::move(other)) {}

    [[nodiscard]] PictureAllocator allocator() const override { return first_->allocator(); }
    [[nodiscard]] std::unique_ptr<FilterEngine> make_engine(const std::vector<FilterSpec>& filters,
                                                            const PictureFormat& format, FramePool& pool,
                                                            Trace* trace) const override;
    /// Empty once the GPUs have failed to create an engine.
    [[nodiscard]] std::vector<int> gpus() const override;
    [[nodiscard]] std::string note() const override;

private:
    [[nodiscard]] std::string why() const;

    std::unique_ptr<FilterDevice> first_;
    std::unique_ptr<FilterDevice> other_;
    mutable std::mutex mutex_;
    mutable std::string why_;  ///< why not the first one, "" while it can be used; guarded by mutex_
};

}  // namespace vfilter
