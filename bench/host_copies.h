#pragma once
// What the bus can do: the same pictures up and down at once, with nothing in between.

#include <cstddef>
#include <vector>

#include "io/formats/frame_pool.h"
#include "pipeline/engine/cuda_engine.h"

namespace vfilter::bench {

/// Uploads pictures on one half of its streams and downloads as many bytes on the other. One thread.
class HostCopies {
public:
    /// `pictures`, in page-locked memory, must outlive it; `pool` gives as many more.
    HostCopies(const std::vector<FramePtr>& pictures, FramePool& pool);
    void run(int pictures);

private:
    static constexpr std::size_t lanes = 2;

    const std::vector<FramePtr>& pictures_;
    std::vector<FramePtr> results_;
    std::size_t bytes_ = 0;  ///< of a picture, from its first plane to the end of its last
    std::vector<CudaStream> streams_;
    std::vector<DeviceMemory> memory_;
};

}  // namespace vfilter::bench
