#pragma once
// What a chain of filters does to pictures of a format, wherever they are.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "filters/filters.h"
#include "kernels/arithmetic/operation.h"
#include "kernels/blend.h"
#include "library/fork.h"
#include "library/pictures.h"
#include "vfilter/vfilter.h"

namespace vfilter {

/// Immutable but for weights that it keeps; thread-safe.
class Plan {
public:
    /// The weights of a region in pictures of one size.
    struct Weights {
        int width = 0;
        int height = 0;
        int luma_width = 0;  ///< as Pictures has it
        int luma_height = 0;
        std::vector<PlaneWeights> planes{};  ///< one

        [[nodiscard]] bool are_of(const Pictures& pictures) const {
            return width == pictures.width && height == pictures.height && luma_width == pictures.luma_width &&
                   luma_height == pictures.luma_height;
        }
    };
    struct Step {
        FilterSpec spec;
        std::vector<Operation> operations;
        std::vector<int> of_channel;  ///< index of its operation; -1 where it is left alone
        bool alike = false;           ///< all that are not left alone have the same operation and border

        /// Null where the filter works everywhere, and where `stop` has said so meanwhile, which is asked now and then
        /// unless it is empty. Throws Failure.
        std::shared_ptr<const Weights> weights(const vfilter_format& format, const Pictures& like,
                                               const std::function<bool()>& stop = {}) const;
        [[nodiscard]] bool leaves_all() const { return operations.empty(); }
        /// The first channel that is not left alone.
        [[nodiscard]] int first_channel() const;

    private:
        mutable CacheMutex mutex_;
        mutable std::shared_ptr<const Weights> weights_;  ///< of the size that was last; by mutex_
    };

    /// Throws Failure, and std::invalid_argument with a sentence for the user.
    Plan(std::span<const vfilter_step> steps, const vfilter_format& format);

    [[nodiscard]] const vfilter_format& format() const { return format_; }
    [[nodiscard]] const std::vector<std::unique_ptr<const Step>>& steps() const { return steps_; }
    /// Of all steps together.
    [[nodiscard]] TimeReach reach() const;
    [[nodiscard]] int sample_bytes() const { return format_.depth > 8 ? 2 : 1; }
    /// The constant border of a channel.
    [[nodiscard]] int black(int channel) const;

private:
    [[nodiscard]] bool is_chroma(int channel) const;

    vfilter_format format_;
    std::vector<std::unique_ptr<const Step>> steps_;
};

}  // namespace vfilter
