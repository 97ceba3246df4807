#pragma once
// Filters whose arguments are drawn from all that the table allows, and pictures for them: cases that nobody chose.

#include <cstdint>
#include <iosfwd>
#include <string>

#include "kernels/arithmetic/operation.h"
#include "tests/kernels/harness.h"

namespace vfilter::test {

/// A filter that changes a plane, and what is filtered.
struct DrawnCase {
    unsigned seed = 0;
    std::string filter{};
    std::string arguments{};
    Operation operation{};
    Window window{};
};
std::ostream& operator<<(std::ostream& out, const DrawnCase& drawn);

/// The same for the same seed. Each filter of the table has its turn. What scalar code does for it is `most_work` steps
/// or so: pictures are smaller where a sample takes more, and arguments of which a single row takes more are drawn
/// anew.
/// Planes have 1 to `components`.
DrawnCase draw_case(unsigned seed, std::int64_t most_work, int components = max_step);

/// [first, last), which VFILTER_TEST_SEEDS=FIRST-LAST says, for whoever has time for more, or else [0, usual).
struct Seeds {
    unsigned first = 0;
    unsigned last = 0;
};
Seeds seeds_to_draw(unsigned usual);

}  // namespace vfilter::test
