#pragma once
// --verify: what the engine made of sampled pictures, held against the specification.

#include <string>
#include <vector>

#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

/// Recomputes pictures by the scalar code, whose bytes the engine's must equal, and each filter in double precision,
/// from which no sample may differ by more than 1. One thread.
class Verifier {
public:
    Verifier(const std::vector<FilterSpec>& filters, const PictureFormat& format);

    [[nodiscard]] bool wants(std::int64_t frame) const { return frame % interval == 0; }
    /// Throws Error(internal) that says where, if the pictures do not agree.
    void check(const AVFrame& in, const AVFrame& out, std::int64_t frame);

    struct Result {
        std::int64_t frames = 0;
        std::int64_t samples = 0;  ///< held against double precision
        std::int64_t off_by_one = 0;

        Result& operator+=(const Result& other);
    };
    [[nodiscard]] const Result& result() const { return result_; }

private:
    static constexpr std::int64_t interval = 50;  // frames

    template <class T>
    void check_field(const AVFrame& in, const AVFrame& out, std::size_t plane, int field, int fields,
                     std::int64_t frame);

    PictureFormat format_;
    std::vector<FilterStep> steps_;
    std::vector<StepRegion::Use> uses_;  // of the picture that is checked, as steps_
    std::vector<PlaneLayout> layouts_;
    Result result_;
};

/// "verified 15 frames: equal to the scalar code; 99.97 % of samples equal to double precision, the others off by 1"
std::string summary_of(const Verifier::Result& result);

}  // namespace vfilter
