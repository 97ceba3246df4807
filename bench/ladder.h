#pragma once
// Two ladders: how a filter, and a convolution layer, became fast, one idea at a time. What their parts share.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"
#include "kernels/arithmetic/operation.h"

namespace vfilter::bench {

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
    Spread microseconds = {};  ///< of one picture, or of one run of a layer; no runs: see `failure`
    double flops = 0;          ///< that its way of computing takes for that, multiply-adds counted as two
    double bytes = 0;          ///< of what is read once and written once at least
    double peak = 0;           ///< FLOP/s of the units that it uses; 0: it has none to be compared with
    double difference = 0;     ///< largest one seen from the reference, in LSB, or as a share of what is allowed
    std::string failure = {};  ///< why it was not measured
    bool wrong = false;        ///< because its results were
};

/// How a climb fails whose results are that far from the reference.
std::string wrong_by(double difference);

/// Called before each rung. False: it is not wanted.
using Begin = std::function<bool(const Rung&)>;

/// A picture of bytes and the radius of a Gaussian.
struct FilterCase {
    std::string picture;
    int width = 0;
    int height = 0;
    int radius = 0;

    [[nodiscard]] double samples() const { return double{1} * width * height; }
    /// Read once and written once.
    [[nodiscard]] double bytes() const { return 2 * samples(); }
    /// Of one pass of a separable filter, or of the definition's two dimensions.
    [[nodiscard]] double line_flops() const { return samples() * 2 * (2 * radius + 1); }
    [[nodiscard]] double square_flops() const { return line_flops() * (2 * radius + 1); }
};

/// The taps of the Gaussian of a case, and the filter that vfilter makes of it.
std::vector<double> taps_of(const FilterCase& filter);
PlaneFilter filter_of(const FilterCase& filter);

/// What a picture's filtered rows should be.
class Expectation {
public:
    /// Some rows of a picture whose rows are `stride` bytes apart, the first and the last among them: in double
    /// precision, border replicate, and as vfilter's arithmetic contract makes them.
    Expectation(const FilterCase& filter, const std::uint8_t* picture, std::ptrdiff_t stride);

    [[nodiscard]] const std::vector<int>& rows() const { return rows_; }
    /// The largest difference of row number rows()[i], in LSB: from the rounded value if `whole`, which results are
    /// that are bytes. The outermost `margin` samples and rows do not count.
    [[nodiscard]] double difference(std::size_t i, std::span<const float> row, bool whole, int margin) const;
    /// Whether it is what the contract says.
    [[nodiscard]] bool exact(std::size_t i, std::span<const float> row) const;

private:
    int height_;
    std::vector<int> rows_;
    std::vector<std::vector<double>> real_;
    std::vector<std::vector<std::uint8_t>> contract_;
};

/// The rungs on the CPU.
std::span<const Rung> cpu_rungs();
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

struct Libraries;

/// The rungs on the current GPU. Its libraries stay open while it is there.
class GpuLadder {
public:
    GpuLadder();
    ~GpuLadder();
    GpuLadder(const GpuLadder&) = delete;
    GpuLadder& operator=(const GpuLadder&) = delete;

    static std::span<const Rung> filter_rungs();
    static std::span<const Rung> layer_rungs();
    std::vector<Climb> filter(const FilterCase& filter, const Begin& begin);
    std::vector<Climb> layer(const Layer& layer, const Begin& begin);
    /// Libraries that this machine has not.
    [[nodiscard]] std::vector<std::string> missing() const;

private:
    std::unique_ptr<Libraries> libraries_;
};

}  // namespace vfilter::bench
