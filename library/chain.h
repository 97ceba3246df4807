#pragma once
// An operation of the library: filters one after another, made ready for a format.

#include <memory>
#include <span>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/cpu/plane_filter.h"
#include "library/call.h"
#include "library/context.h"
#include "library/devices.h"
#include "library/pictures.h"
#include "library/plan.h"
#include "vfilter/vfilter.h"

namespace vfilter {

/// Immutable but for memory that it keeps; thread-safe.
class Chain {
public:
    /// Throws Failure, and std::invalid_argument with a sentence for the user.
    Chain(std::shared_ptr<const Context> context, std::span<const vfilter_step> steps, const vfilter_format& format);

    /// See vfilter_run. Throws Failure.
    void run(const vfilter_picture* source, const vfilter_picture* result, const vfilter_run_options* given) const;
    /// See vfilter_operation_prepare. Throws Failure.
    void prepare(const vfilter_picture* like) const;
    /// Of all steps together.
    [[nodiscard]] TimeReach reach() const { return plan_->reach(); }

private:
    struct Step {
        const Plan::Step& plan;
        std::vector<std::shared_ptr<const PlaneFilter>> filters;  ///< of channels; null where one is left alone
        std::shared_ptr<Pace> pace = std::make_shared<Pace>();

        /// What the filter of a channel looks at.
        [[nodiscard]] TimeReach reach(int channel) const {
            const int index = plan.of_channel[static_cast<std::size_t>(channel)];
            return index < 0 ? TimeReach{} : time_reach(plan.operations[static_cast<std::size_t>(index)]);
        }
    };

    void run_here(Call& call, const Sources& sources, const Pictures& to, const Pictures* mask) const;
    /// Returns false if it only copied them.
    bool run_step(Call& call, const Step& step, const Sources& from, const Pictures& to) const;
    template <class T>
    void run_planes(Call& call, const Step& step, const Sources& sources, const Pictures& to,
                    const PlaneWeights* weights) const;
    template <class T>
    void run_apart(Call& call, const Step& step, const Sources& sources, const Pictures& to,
                   const PlaneWeights* weights) const;
    template <class T>
    void blend(Call& call, const Pictures& source, const Pictures& result, const Pictures& mask) const;
    void copy(Call& call, const Pictures& from, const Pictures& to) const;

    std::shared_ptr<const Context> context_;
    std::shared_ptr<const Plan> plan_;
    std::vector<Step> steps_;
    Devices devices_;
};

}  // namespace vfilter
