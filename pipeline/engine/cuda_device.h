#pragma once
// Whether there is a working GPU, and if not, why; its page-locked memory; its engine.

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// For calls before pictures are processed: throws Error(device) if `result` is an error.
void start_check(cudaError_t result, const char* call, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE());

class CudaDevice : public FilterDevice {
public:
    static constexpr int default_streams = 6;

    /// `streams` 0 is the default. Throws Error(device) with a message that says what is missing and what to do.
    CudaDevice(int device, int streams);
    [[nodiscard]] PictureAllocator allocator() const override;
    [[nodiscard]] std::unique_ptr<FilterEngine> make_engine(const std::vector<FilterSpec>& filters,
                                                            const PictureFormat& format, FramePool& pool,
                                                            Trace* trace) const override;

    /// At least 1: with none, creating the first one reports why.
    static int count();
    [[nodiscard]] std::vector<int> gpus() const override { return {device_}; }

    /// One line per GPU, or one that says why there is none.
    static std::string list();

private:
    int device_;
    int streams_;
};

}  // namespace vfilter
