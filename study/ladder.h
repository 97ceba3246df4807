#pragma once
// Two ladders: how a filter, and a convolution layer, became fast, one idea at a time. What their parts share.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"

namespace vfilter::study {

using namespace bench;  // what measures and what is told of it

/// A step of a ladder.
struct Rung {
    std::string_view name;
    std::string_view idea;  ///< what it teaches
    bool ours = false;      ///< vfilter's own
    bool library = false;   ///< somebody else's finished work, on the GPU
    bool floor = false;     ///< does less than the work: a limit, and no rung
};

/// What became of a rung.
struct Climb {
    Rung rung;
    bool gpu = false;
    Spread microseconds = {};  ///< of one picture, or of one run of a layer; no runs: see `failure`
    double flops = 0;          ///< that its way of computing takes for that, multiply-adds counted as two
    double bytes = 0;          ///< of what is read once and written once at least
    double peak = 0;           ///< FLOP/s of the units that it uses; 0: it has none to be compared with
    double difference = 0;     ///< largest one seen from the reference, in LSB, or as a share of what is allowed
    std::string failure = {};  ///< why it was not measured
    bool wrong = false;        ///< because its results were

    [[nodiscard]] bool measured() const { return microseconds.runs > 0; }
    /// Its results are not what they should be, and so it has no time.
    void refute(const std::string& why) {
        wrong = true;
        failure = "WRONG: " + why;
        microseconds = {};
    }
};

/// How a climb is refuted whose results are that far from the reference.
std::string off_by(double difference, const char* unit);

/// Called before each rung. False: it is not wanted.
using Begin = std::function<bool(const Rung&)>;

/// Climbs the rungs that are wanted: `work` fills what is known of each. One that throws has failed.
template <class Row>
std::vector<Climb> climb_rungs(std::span<const Row> rows, const Begin& begin,
                               const std::function<void(const Row&, Climb&)>& work) {
    std::vector<Climb> climbs;
    for (const Row& row : rows) {
        if (!begin(row.rung)) {
            continue;
        }
        Climb climb{.rung = row.rung};
        try {
            work(row, climb);
        } catch (const std::exception& error) {
            climb.failure = error.what();
            climb.microseconds = {};
        }
        climbs.push_back(std::move(climb));
    }
    return climbs;
}

template <class Rows>
std::vector<Rung> rungs_of(const Rows& rows) {
    std::vector<Rung> rungs;
    for (const auto& row : rows) {
        rungs.push_back(row.rung);
    }
    return rungs;
}

/// A picture of bytes and the radius of a Gaussian over it.
struct FilterCase {
    std::string_view picture;
    int width = 0;
    int height = 0;
    int radius = 0;

    [[nodiscard]] int size() const { return 2 * radius + 1; }
    [[nodiscard]] double samples() const { return double{1} * width * height; }
    /// Read once and written once.
    [[nodiscard]] double bytes() const { return 2 * samples(); }
    /// Of the definition's two dimensions, and of a row and then a column.
    [[nodiscard]] double square_flops() const { return samples() * 2 * size() * size(); }
    [[nodiscard]] double separable_flops() const { return samples() * 4 * size(); }
};

std::vector<Rung> cpu_rungs();
std::vector<Climb> climb_cpu(const FilterCase& filter, int threads, const Begin& begin);

/// A convolution layer: C channels of H x W, K filters of R x R over all of them, N inputs.
struct Layer {
    std::string_view name;
    int n, c, h, w;
    int k, r;
    int stride, pad;

    [[nodiscard]] int out_h() const { return (h + 2 * pad - r) / stride + 1; }
    [[nodiscard]] int out_w() const { return (w + 2 * pad - r) / stride + 1; }
    [[nodiscard]] int depth() const { return c * r * r; }  ///< terms of one result
    [[nodiscard]] int inputs() const { return n * c * h * w; }
    [[nodiscard]] int weights() const { return k * depth(); }
    [[nodiscard]] int outputs() const { return n * k * out_h() * out_w(); }
    /// Inputs, weights and results.
    [[nodiscard]] double values() const { return double{1} * inputs() + weights() + outputs(); }
    [[nodiscard]] double flops() const { return 2.0 * outputs() * depth(); }
};

/// On the current GPU; without CUDA there are no rungs.
std::vector<Rung> filter_rungs();
std::vector<Rung> layer_rungs();
std::vector<Climb> climb_filter(const FilterCase& filter, const Begin& begin);
std::vector<Climb> climb_layer(const Layer& layer, const Begin& begin);

/// The two ladders as a section of a report.
Section measure_ladder(const Wishes& wishes, Progress& progress);

}  // namespace vfilter::study
