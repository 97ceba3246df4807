#pragma once
// checkasm's idea: one harness for every implementation of a convolution. A Case describes a picture, a filter and how
// the picture lies in memory; the functions below make it, run it and compare it, and look at every byte around it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "filters/filters.h"
#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter::test {

/// A plane amid guard bytes: before the first row, between a row's end and the next row, after the last one. Built
/// with the address sanitizer, touching a guard byte after a row ends the program.
template <class T>
class GuardedPlane {
public:
    /// `gap` bytes from the end of a row to the next; `upside_down` gives a negative stride. `salt` changes the guards.
    GuardedPlane(int width, int height, int step, int lsb, int gap, bool upside_down, unsigned salt);
    ~GuardedPlane();
    GuardedPlane(const GuardedPlane&) = delete;
    GuardedPlane& operator=(const GuardedPlane&) = delete;

    [[nodiscard]] PlaneView<T> view() const { return view_; }
    /// Whether every guard byte is what it was.
    [[nodiscard]] bool guards_intact() const;

private:
    [[nodiscard]] unsigned char guard(std::size_t at) const;
    void poison(bool on) const;

    mutable std::vector<unsigned char> bytes_;
    PlaneView<T> view_;
    unsigned salt_;
};

enum class Pattern { random, zeros, maxima, checkerboard, impulses, half };

struct Case {
    int width = 1;
    int height = 1;
    int depth = 8;
    int step = 1;
    int lsb = 0;
    int gap = 0;  ///< bytes, rounded up to whole samples
    bool upside_down = false;
    Border border = Border::reflect_101;
    Pattern pattern = Pattern::random;
    std::vector<int> cuts{};  ///< rows at which the picture is cut into bands, ascending, within (0, height)
    unsigned seed = 1;

    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    /// Outside of the picture for the constant border; neither 0 nor a power of two, so that a mistake shows.
    [[nodiscard]] int black() const { return 16 * max_value() / 255 + 1; }
    [[nodiscard]] int samples() const { return width * step; }
};
std::ostream& operator<<(std::ostream& out, const Case& picture);

/// Values of samples, row by row, without padding.
using Samples = std::vector<std::uint16_t>;

Samples make_samples(const Case& picture);
/// A picture as a camera makes them: gradients, edges, texture and noise.
Samples natural_samples(int width, int height);

/// What an operation with time looks at: pictures that lie alike, the one that is filtered first.
struct Window {
    Case picture;
    std::vector<Samples> samples;
};

/// Filters the samples with one implementation, band by band, and checks the guards. `target` is a name of
/// simd_targets() or "scalar". Bits of 16-bit storage that are not the sample's hold garbage before.
Samples filter(const Operation& made, const Window& window, const std::string& target);
Samples filter(const Operation& made, const Case& picture, const Samples& samples, const std::string& target);
/// reference_operation of the same.
std::vector<double> reference(const Operation& made, const Window& window);
/// reference_convolve of the same.
std::vector<double> reference(const SeparableKernel& kernel, const Case& picture, const Samples& samples);

/// A result within `bound` of the exact one before rounding, so at most one level from its rounding.
void expect_near(double exact, int result, double bound);
/// The scalar code's results for a filter made of `kernel`: each within its error_bound of the exact one.
void expect_near_reference(const Operation& made, const SeparableKernel& kernel, const Case& picture);

/// Every SIMD target against the scalar code, byte for byte.
void expect_simd_equals_scalar(const Operation& made, const Window& window);
void expect_simd_equals_scalar(const Operation& made, const Case& picture);

/// "5", "sigma=2" of a filter of the table as a kernel for samples that far apart.
FilterKernel filter_kernel_of(const std::string& filter, const std::string& arguments, double pitch_x = 1,
                              double pitch_y = 1);
/// One pass of a smoothing, and what a unit of its taps is worth.
struct Pass {
    std::vector<std::int32_t> taps;
    int shift = 0;
    int scale = 0;  ///< log2 of the sum of the taps; 0 if the filter is uniform
    double unit = 1;
};
Pass rows_of(const LinearFilter& smoothing);
Pass columns_of(const LinearFilter& smoothing);
/// Of a smoothing's intermediate.
int fraction_bits(const LinearFilter& smoothing);
/// A filter of one term and nothing else.
FilterKernel one_term(const SeparableKernel& kernel);

/// The only term of one.
SeparableKernel kernel_of(const std::string& filter, const std::string& arguments, double pitch_x = 1,
                          double pitch_y = 1);

}  // namespace vfilter::test
