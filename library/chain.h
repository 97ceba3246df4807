#pragma once
// An operation of the library: filters one after another, made ready for a format.

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "filters/filters.h"
#include "kernels/cpu/plane_filter.h"
#include "library/buffers.h"
#include "library/context.h"
#include "library/pictures.h"
#include "vfilter/vfilter.h"

namespace vfilter {

/// Immutable but for memory that it keeps; thread-safe.
class Chain {
public:
    /// Throws Failure, and std::invalid_argument with a sentence for the user.
    Chain(std::shared_ptr<const Context> context, std::span<const vfilter_step> steps, const vfilter_format& format);

    /// See vfilter_run. Throws Failure.
    void run(const vfilter_picture* source, const vfilter_picture* result, const vfilter_run_options* options) const;

private:
    /// The weights of a region in pictures of one size.
    struct Weights {
        int width = 0;
        int height = 0;
        std::vector<PlaneWeights> planes{};  ///< one
    };
    struct Step {
        FilterSpec spec;
        std::vector<std::shared_ptr<const PlaneFilter>> channels;  ///< null where one is left alone
        bool alike = false;  ///< all that are not left alone have the same filter and border
        mutable std::mutex mutex;
        mutable std::shared_ptr<const Weights> weights;  ///< of the size that was last; by mutex
    };

    void run_step(const Step& step, const Pictures& from, const Pictures& to) const;
    template <class T>
    void run_planes(const Step& step, const Pictures& from, const Pictures& to, const PlaneWeights* weights) const;
    template <class T>
    void run_apart(const Step& step, const Pictures& from, const Pictures& to, const PlaneWeights* weights) const;
    template <class T>
    void blend(const Pictures& source, const Pictures& result, const Pictures& mask) const;
    void copy(const Pictures& from, const Pictures& to) const;
    [[nodiscard]] std::shared_ptr<const Weights> weights_of(const Step& step, int width, int height) const;
    [[nodiscard]] int black(int channel) const;
    [[nodiscard]] bool is_chroma(int channel) const;

    std::shared_ptr<const Context> context_;
    vfilter_format format_;
    std::vector<std::unique_ptr<Step>> steps_;
    mutable Buffers buffers_;
};

}  // namespace vfilter
