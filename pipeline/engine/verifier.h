#pragma once
// --verify: the engine's results for sampled pictures, compared with the specification.

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

/// Recomputes pictures with the scalar code, whose bytes must equal the engine's, and each filter in double precision,
/// from which no sample may differ by more than 1. One thread.
class Verifier {
public:
    Verifier(const std::vector<FilterSpec>& filters, const PictureFormat& format);

    [[nodiscard]] bool wants(std::int64_t frame) const { return frame % interval == 0; }
    /// Whether there are filters that read several pictures.
    [[nodiscard]] bool looks_in_time() const { return time_ != TimeReach{}; }
    /// Must be given every picture that the engine gets, in order, on the host; needed only if looks_in_time().
    /// `counted` is Frame's, -1 for `frame` itself.
    void see(const AVFrame& in, std::int64_t frame, std::int64_t counted = -1);
    /// For a picture that is wanted, or whose result the engine returned before the next but one was submitted. Throws
    /// Error(internal) that says where, if the pictures differ.
    void check(const AVFrame& in, const AVFrame& out, std::int64_t frame, std::int64_t counted = -1);

    struct Result {
        std::int64_t frames = 0;
        std::int64_t samples = 0;  ///< compared with double precision
        std::int64_t off_by_one = 0;

        Result& operator+=(const Result& other);
    };
    [[nodiscard]] const Result& result() const { return result_; }

private:
    static constexpr std::int64_t interval = 50;  // frames

    struct Seen {
        FramePtr picture;
        std::int64_t frame;
        std::int64_t counted;  // its number for spans, tracks and masks
    };
    // What a step does to a picture.
    struct Use {
        bool works = false;
        std::optional<std::vector<PlaneWeights>> weights;
    };
    // A step's number, and a picture's number in the order in which they were seen.
    using StepAt = std::pair<std::size_t, std::int64_t>;
    template <class T>
    using Values = std::map<StepAt, std::vector<T>>;

    [[nodiscard]] const AVFrame& picture(std::int64_t number) const;
    const Use& use_of(std::size_t step, std::int64_t number);
    template <class T>
    const std::vector<T>& value(std::size_t steps, std::int64_t number, std::size_t plane, Values<T>& values);
    template <class T>
    void run_step(std::size_t step, std::int64_t number, std::size_t plane, Values<T>& values, std::vector<T>& made);
    template <class T>
    void check_plane(const AVFrame& out, std::size_t plane, std::int64_t frame);
    template <class T>
    void hold_against_reference(const Operation& made, const PlaneView<const T>& from, const PlaneView<const T>& result,
                                const std::vector<double>& real, const auto& place);

    PictureFormat format_;
    TimeReach time_;
    std::vector<FilterStep> steps_;
    std::vector<TimeReach> times_;  // as steps_
    std::vector<PlaneLayout> layouts_;
    std::deque<Seen> seen_;               // the last ones; without a window in time, the one being checked
    std::deque<std::int64_t> unchecked_;  // of those that are wanted, by order seen
    std::int64_t count_ = 0;              // seen so far
    std::int64_t checked_ = 0;            // by order seen
    std::int64_t checked_frame_ = 0;      // the same one
    std::map<StepAt, Use> uses_;          // for the picture being checked
    Result result_;
};

/// "verified 15 frames: equal to the scalar code; 99.97 % of samples equal to double precision, the others off by 1"
std::string summary_of(const Verifier::Result& result);

}  // namespace vfilter
