#include "kernels/arithmetic/operation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vfilter {

namespace {

struct Reaches {
    Reach x;
    Reach y;
};

Reaches reaches(const LinearFilter& filter) {
    return {{filter.radius_x(), 1}, {filter.radius_y(), 1}};
}
Reaches reaches(const DecimatedFilter& filter) {
    // A result is made of decimated samples less than 2 D away, those of others `inner_radius` D further, and a
    // decimated sample of samples less than 2 D away.
    const auto of = [&](int inner_radius) { return Reach{(inner_radius + 4) << filter.factor_bits, filter.factor()}; };
    return {of(filter.inner.radius_x()), of(filter.inner.radius_y())};
}
Reaches reaches(const Pixelation& pixelation) {
    // A block that lies half before the picture puts the others where no part can begin.
    const auto of = [](const BlockGrid& grid) {
        return Reach{grid.phase == 0 ? 0 : ceil_div(grid.size, grid.pitch), grid.unit()};
    };
    return {of(pixelation.columns), of(pixelation.rows)};
}
Reaches reaches(const NlMeans& filter) {
    return {{filter.reach(), 1}, {filter.reach(), 1}};
}
Reaches reaches(const Fill& /*fill*/) {
    return {};
}
Reaches reaches(const MedianFilter& median) {
    return {{median.radius_x, 1}, {median.radius_y, 1}};
}
Reaches reaches(const Deband& deband) {
    return {{deband.radius_x, deband_period}, {deband.radius_y, deband_period}};
}
Reaches reaches(const Bilateral& filter) {
    return {{filter.radius_x, 1}, {filter.radius_y, 1}};
}

Reaches reaches(const Guided& filter) {
    return {{2 * filter.radius_x, 1}, {2 * filter.radius_y, 1}};
}
Reaches reaches(const Dithered& dithered) {
    const auto of = [](Reach reach) { return Reach{reach.radius, std::lcm(reach.unit, dither_period)}; };
    return {of(reach_x(dithered.inner->operation)), of(reach_y(dithered.inner->operation))};
}

Reaches reaches(const TemporalMedian& /*median*/) {
    return {};
}
Reaches reaches(const TemporalMean& /*mean*/) {
    return {};
}

}  // namespace

Operation make_operation(const FilterKernel& kernel, int depth) {
    if (is_smoothing(kernel)) {
        if (auto decimated = make_decimated_filter(kernel, depth)) {
            return *std::move(decimated);
        }
    }
    return make_linear_filter(kernel, depth);
}

Operation make_dithered(Operation inner, int depth) {
    Dithered made{.depth = depth, .bits = dither_bits(depth), .time = time_reach(inner)};
    made.inner = std::make_shared<const InnerOperation>(InnerOperation{std::move(inner)});
    return made;
}

const FilterKernel& exact_kernel(const Operation& operation) {
    if (const auto* const decimated = std::get_if<DecimatedFilter>(&operation)) {
        return decimated->exact;
    }
    return std::get<LinearFilter>(operation).exact;
}

int depth_of(const Operation& operation) {
    return std::visit([](const auto& made) { return made.depth; }, operation);
}

TimeReach time_reach(const Operation& operation) {
    return std::visit(
        []<class Made>(const Made& made) {
            if constexpr (Temporal<Made>) {
                return made.time;
            } else {
                return TimeReach{};
            }
        },
        operation);
}

Reach reach_x(const Operation& operation) {
    return std::visit([](const auto& made) { return reaches(made).x; }, operation);
}

Reach reach_y(const Operation& operation) {
    return std::visit([](const auto& made) { return reaches(made).y; }, operation);
}

LinePart part_of_line(const Reach& reach, Border border, int from, int to, int length) {
    const int first = from - reach.radius;
    const int last = to + reach.radius;
    if (border == Border::wrap && (first < 0 || last > length)) {
        return {0, length};
    }
    return {std::max(first, 0) / reach.unit * reach.unit, std::min(round_up(last, reach.unit), length)};
}

}  // namespace vfilter
