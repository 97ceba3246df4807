#include "tests/kernels/drawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "filters/borders.h"
#include "filters/filters.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {

namespace {

class Draw {
public:
    Draw(unsigned seed, int components) : variety_(seed, components), random_(seed + 1) {}

    Variety& variety() { return variety_; }
    bool one_in(int count) { return variety_.below(count) == 0; }
    double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }

    /// An end of the range, a number amid it, or one of a magnitude amid it: what is small is as likely as what is
    /// large.
    double number(double minimum, double maximum) {
        constexpr double decades = 4;
        switch (variety_.below(6)) {
            case 0:
                return minimum;
            case 1:
                return maximum;
            case 2:
                return minimum + (maximum - minimum) * unit();
            default:
                const double small = std::pow(10, -decades * unit());
                return minimum < 0 ? (one_in(2) ? minimum : maximum) * small : minimum + (maximum - minimum) * small;
        }
    }

    std::string value(const Parameter& parameter) {
        if (!parameter.choices.empty()) {
            return std::string(variety_.any(parameter.choices));
        }
        if (parameter.colour) {
            const auto colour = static_cast<unsigned>(random_());
            return one_in(2) ? fmt::format("#{:06x}", colour & 0xffffffU) : fmt::format("#{:08x}", colour);
        }
        double drawn = number(parameter.minimum, parameter.maximum);
        if (parameter.odd || parameter.whole) {
            drawn = std::floor(drawn);
            drawn += parameter.odd && std::fmod(drawn, 2) == 0 ? 1 : 0;
            return fmt::format("{}", static_cast<int>(std::min(drawn, parameter.maximum)));
        }
        // Few digits, as users write them, which must not leave the range.
        return fmt::format("{}",
                           std::clamp(std::stod(fmt::format("{:.3g}", drawn)), parameter.minimum, parameter.maximum));
    }

    std::string matrix() {
        const auto side = [&] { return 2 * variety_.below(one_in(5) ? max_matrix_size / 2 + 1 : 4) + 1; };
        const int width = side();
        const int height = side();
        const bool whole = one_in(2);
        const bool low_rank = one_in(3);  // every row a multiple of one
        std::vector<double> row(static_cast<std::size_t>(width));
        std::string text;
        for (int y = 0; y < height; ++y) {
            const double factor = whole ? variety_.below(5) - 2 : 2 * unit() - 1;
            for (double& entry : row) {
                if (y == 0 || !low_rank) {
                    entry = whole ? variety_.below(19) - 9 : number(-1, 1);
                }
                text += fmt::format("{:.4g} ", y == 0 || !low_rank ? entry : entry * factor);
            }
            text += ";";
        }
        return text;
    }

    std::string arguments(const FilterDef& def) {
        std::string text = def.takes_matrix ? matrix() : "";
        const auto add = [&](std::string_view name, const std::string& value) {
            text += fmt::format("{}{}={}", text.empty() ? "" : ":", name, value);
        };
        for (const Parameter& parameter : def.parameters) {
            if (one_in(2)) {
                add(parameter.name, value(parameter));
            }
        }
        if (def.dithering != Dithering::none && one_in(4)) {
            add("dither", "on");
        }
        return text;
    }

    TargetPlane plane(int depth) {
        TargetPlane drawn{.depth = depth,
                          .pitch_x = 1 + variety_.below(2),
                          .pitch_y = 1 + variety_.below(2),
                          .full_range = one_in(2)};
        drawn.picture_width = 1 + variety_.below(4000);
        drawn.picture_height = 1 + variety_.below(4000);
        constexpr Component kinds[] = {Component::luma,  Component::cb,   Component::cr,   Component::red,
                                       Component::green, Component::blue, Component::alpha};
        for (Component& component : drawn.components) {
            component = variety_.any(kinds);
        }
        constexpr ColourMatrix matrices[] = {ColourMatrix::bt601, ColourMatrix::bt709, ColourMatrix::bt2020,
                                             ColourMatrix::smpte240m, ColourMatrix::fcc};
        drawn.matrix = variety_.any(matrices);
        return drawn;
    }

private:
    Variety variety_;
    std::mt19937 random_;
};

// Samples that the scalar code looks at for one of the result, or so.
std::int64_t work_of(const Operation& operation) {
    const std::int64_t pictures = time_reach(operation).pictures();
    const auto area = [](std::int64_t reach_x, std::int64_t reach_y) { return (2 * reach_x + 1) * (2 * reach_y + 1); };
    const std::int64_t x = reach_x(operation).radius;
    const std::int64_t y = reach_y(operation).radius;
    return std::visit(
        [&]<class Made>(const Made& made) -> std::int64_t {
            if constexpr (std::same_as<Made, LinearFilter>) {
                return 2 * (x + y + 1) * static_cast<std::int64_t>(std::max(std::size_t{1}, made.terms.size()));
            } else if constexpr (std::same_as<Made, NlMeans>) {
                return pictures * area(x, y) * 3;
            } else if constexpr (std::same_as<Made, Dithered>) {
                return 4 + work_of(made.inner->operation);
            } else {
                return pictures * area(x, y);
            }
        },
        operation);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const DrawnCase& drawn) {
    return out << "seed " << drawn.seed << ": " << drawn.filter << ' ' << drawn.arguments << " of "
               << drawn.window.samples.size() << " pictures, " << drawn.window.picture;
}

Seeds seeds_to_draw(unsigned usual) {
    Seeds seeds{0, usual};
    if (const char* const asked = std::getenv("VFILTER_TEST_SEEDS");
        asked != nullptr &&
        (std::sscanf(asked, "%u-%u", &seeds.first, &seeds.last) != 2 || seeds.last <= seeds.first)) {
        throw std::invalid_argument("VFILTER_TEST_SEEDS is not FIRST-LAST");
    }
    return seeds;
}

DrawnCase draw_case(unsigned seed, std::int64_t most_work, int components) {
    const std::span<const FilterDef> table = filter_table();
    const FilterDef* def = &table[seed % table.size()];
    if (def->name == "identity") {
        def = find_filter("kernel");  // which has the most to draw
    }
    Draw draw(seed, components);
    for (int draws = 1;; ++draws) {
        const Storage storage = draw.variety().any(storages);
        DrawnCase drawn{.seed = seed, .filter = std::string(def->name), .arguments = draw.arguments(*def)};
        std::optional<Operation> made;
        try {
            const FilterSpec spec = parse_filter(*def, drawn.arguments);
            if (spec.wants_noise()) {
                continue;
            }
            made = operation_of(spec, draw.plane(storage.depth));
        } catch (const std::invalid_argument&) {
            continue;  // what needs another argument, or does not go together
        }
        if (!made) {
            continue;
        }
        constexpr int most_draws = 20;  // some take a lot whatever their arguments
        constexpr std::int64_t fewest_samples = 64;
        std::int64_t samples = most_work / work_of(*made);
        if (samples < fewest_samples && draws < most_draws) {
            continue;
        }
        samples = std::max(samples, fewest_samples);
        constexpr int most_side = 300;
        const auto side = [&](std::int64_t most) {
            return 1 + draw.variety().below(static_cast<int>(std::min<std::int64_t>(most, most_side)));
        };
        const int width = side(samples / 8);
        const int height = side(std::max<std::int64_t>(1, samples / width));
        Case picture = draw.variety().picture(width, height, storage, draw.variety().any(border_names).border);
        drawn.operation = *made;
        drawn.window.picture = picture;
        for (int n = 0; n < time_reach(*made).pictures(); ++n) {
            ++picture.seed;
            picture.pattern = draw.variety().any(patterns);
            drawn.window.samples.push_back(make_samples(picture));
        }
        return drawn;
    }
}

}  // namespace vfilter::test
