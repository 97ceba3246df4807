#pragma once
// A plan made ready for one GPU.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/cuda/filter.h"
#include "kernels/cuda/memory.h"
#include "library/pictures.h"
#include "library/plan.h"

namespace vfilter {

/// For the device that is current when it is made and used. Immutable but for what it makes on first use; thread-safe.
/// All throw Failure and CudaError.
class DeviceChain {
public:
    DeviceChain(std::shared_ptr<const Plan> plan, std::shared_ptr<const cuda::StreamPool> pool);

    /// See Devices::run.
    void run(const Sources& sources, const Pictures& to, const Pictures* mask, cudaStream_t stream) const;
    /// What run() makes when it is first called for such pictures.
    void prepare(const Pictures& like) const;

private:
    /// The weights of a region for every pixel of pictures of one size.
    struct Weights {
        std::shared_ptr<const Plan::Weights> made;
        cuda::DeviceArray<std::uint8_t> samples;
    };
    struct Step {
        const Plan::Step& plan;
        bool natively = false;  ///< three or four interleaved channels are filtered as they lie
        mutable std::mutex mutex{};
        // By mutex, from when they are first needed.
        mutable std::unique_ptr<const CudaFilter> planes{};  ///< of one or two channels
        mutable std::unique_ptr<const CudaFilter> pixels{};  ///< of three or four
        mutable std::shared_ptr<const Weights> weights{};    ///< of the size that was last
        /// Of those that prepare() was asked for, or a CUDA graph uses, which may be replayed at any time.
        mutable std::vector<std::shared_ptr<const Weights>> kept_weights{};
    };
    class Run;

    [[nodiscard]] Order order_for(const Step& step, Order order) const;
    const CudaFilter& filter_for(const Step& step, Order order) const;
    std::shared_ptr<const Weights> weights_for(const Step& step, const Pictures& like, bool keep) const;
    void launch(const Step& step, const Sources& sources, const Pictures& to, cudaStream_t stream) const;
    void run_step(const Step& step, const Weights* weights, const Sources& sources, const Pictures& to,
                  cudaStream_t stream) const;

    std::shared_ptr<const Plan> plan_;
    std::shared_ptr<const cuda::StreamPool> pool_;
    std::vector<std::unique_ptr<const Step>> steps_;
};

}  // namespace vfilter
