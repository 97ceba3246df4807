#include "pipeline/session/coloured_grey.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <cmath>
#include <numeric>

#include "io/formats/format_facts.h"
#include "kernels/arithmetic/filter_kernel.h"

namespace vfilter {

namespace {

constexpr double grey = 0.5;
constexpr double noticeable = 1.0 / 256;

// What the matrix makes of a plane that has that value everywhere.
double of_flat(const FilterKernel& kernel, double value) {
    const auto sum = [](const std::vector<double>& taps) { return std::accumulate(taps.begin(), taps.end(), 0.0); };
    double made = kernel.gain * value + kernel.bias;
    for (const SeparableKernel& term : kernel.terms) {
        made += sum(term.rows) * sum(term.columns) * value;
    }
    return made;
}

}  // namespace

void tell_coloured_grey(const std::vector<FilterSpec>& filters, const PictureFormat& format) {
    if (!is_yuv(format.format)) {
        return;
    }
    for (const FilterSpec& filter : filters) {
        if (!filter.def->takes_matrix || filter.chroma) {
            continue;
        }
        const double made = of_flat(filter.def->make(filter, 1, 1), grey);
        if (std::abs(made - grey) > noticeable) {
            spdlog::warn(
                "--{}: its numbers are no average, and make {} of the chroma of grey: chroma=neutral makes grey "
                "pictures, chroma=off leaves the colours as they are",
                filter.def->name, made < grey ? "green" : "magenta");
        }
    }
}

}  // namespace vfilter
