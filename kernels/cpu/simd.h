#pragma once
// The arithmetic contracts in SIMD code: one source for every instruction set, the best one chosen when the program
// runs.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter {

namespace simd {
struct Prepared;
}

/// An operation made ready for the SIMD code. Immutable; any number of threads may run it at once.
class SimdFilter {
public:
    explicit SimdFilter(Operation operation);
    ~SimdFilter();
    SimdFilter(SimdFilter&&) noexcept;
    SimdFilter& operator=(SimdFilter&&) noexcept;

    /// Filters the rows [first, last): see filter_scalar, whose bytes it equals. Reads and writes no byte outside the
    /// two planes' rows. Scratch memory is kept per thread, so that a second call allocates nothing.
    template <class T>
    void run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first, int last) const {
        run<T>(src, {}, dst, border, black, first, last);
    }
    /// Of an operation with time: `neighbours` are the same plane of its window's other pictures, in any order. Throws
    /// std::invalid_argument if they are not as many as time_reach() says.
    template <class T>
    void run(PlaneView<const T> src, std::span<const PlaneView<const T>> neighbours, PlaneView<T> dst, Border border,
             int black, int first, int last) const;

    /// Into how many bands of rows, of about as many rows each and beginning at even ones, that number of threads
    /// should cut a plane.
    [[nodiscard]] int bands(int height, int threads) const;

private:
    void check_neighbours(std::size_t count) const;

    std::unique_ptr<const simd::Prepared> prepared_;
};

/// Names of the instruction sets that this program holds and this processor runs, best first.
std::vector<std::string> simd_targets();
/// The one in use.
std::string simd_target();
/// Uses only the named one from now on, "" for the best again. Throws std::invalid_argument for a name that is not in
/// simd_targets(). Not thread-safe: call it before anything is filtered.
void force_simd_target(const std::string& name);

}  // namespace vfilter
