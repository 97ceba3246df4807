#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <ostream>
#include <random>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"

#if defined(__SANITIZE_ADDRESS__)
#define VFILTER_TEST_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VFILTER_TEST_POISON 1
#endif
#endif
#ifdef VFILTER_TEST_POISON
#include <sanitizer/asan_interface.h>
#endif

namespace vfilter::test {

namespace {

constexpr std::size_t guard_bytes = 192;  // more than the widest vector, so that no stray write leaves the buffer

template <class T>
GuardedPlane<T> place(const Case& picture, unsigned salt) {
    return {picture.width, picture.height, picture.step, picture.lsb, picture.gap, picture.upside_down, salt};
}

// Samples at their place in the storage, amid garbage: what hardware leaves there is not promised to be zero.
template <class T>
void write_rows(const Case& picture, const Samples& samples, const PlaneView<T>& plane) {
    std::mt19937 random(picture.seed + 1);
    const auto field = static_cast<unsigned>(picture.max_value()) << picture.lsb;
    const auto* sample = samples.data();
    for (int y = 0; y < plane.height; ++y) {
        for (int x = 0; x < plane.samples(); ++x, ++sample) {
            const auto garbage = static_cast<unsigned>(random()) & ~field;
            plane.row(y)[x] = static_cast<T>((static_cast<unsigned>(*sample) << picture.lsb) | garbage);
        }
    }
}

// The pictures of a window in memory.
template <class T>
class PlacedWindow {
public:
    explicit PlacedWindow(const Window& window) {
        for (std::size_t n = 0; n < window.samples.size(); ++n) {
            Case own = window.picture;
            own.gap += 32 * static_cast<int>(n % 2);  // each with rows of its own pitch
            own.seed += static_cast<unsigned>(n);
            const auto& plane = planes_.emplace_back(own.width, own.height, own.step, own.lsb, own.gap, own.upside_down,
                                                     static_cast<unsigned>(n + 3));
            write_rows(own, window.samples[n], plane.view());
            if (n > 0) {
                neighbours_.push_back(plane.view());
            }
        }
    }
    [[nodiscard]] PlaneView<const T> view() const { return planes_.front().view(); }
    [[nodiscard]] std::span<const PlaneView<const T>> neighbours() const { return neighbours_; }
    [[nodiscard]] bool guards_intact() const { return std::ranges::all_of(planes_, &GuardedPlane<T>::guards_intact); }

private:
    std::list<GuardedPlane<T>> planes_;
    std::vector<PlaneView<const T>> neighbours_;
};

template <class T>
Samples filter_as(const Operation& made, const Window& window, const std::string& target) {
    const Case& picture = window.picture;
    const PlacedWindow<T> src(window);
    const auto dst = place<T>(picture, 2);
    const SimdFilter simd(made);
    const auto band = [&](int first, int last) {
        if (target == "scalar") {
            filter_scalar<T>(made, src.view(), src.neighbours(), dst.view(), picture.border, picture.black(), first,
                             last);
        } else {
            simd.run<T>(src.view(), src.neighbours(), dst.view(), picture.border, picture.black(), first, last);
        }
    };
    int first = 0;
    for (const int cut : picture.cuts) {
        band(first, cut);
        first = cut;
    }
    band(first, picture.height);
    EXPECT_TRUE(src.guards_intact()) << target << " wrote into the source's padding: " << picture;
    EXPECT_TRUE(dst.guards_intact()) << target << " wrote outside the picture: " << picture;

    Samples result;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.samples(); ++x) {
            const int stored = dst.view().row(y)[x];
            EXPECT_EQ(stored & ((1 << picture.lsb) - 1), 0) << target << " left bits below the sample: " << picture;
            result.push_back(static_cast<std::uint16_t>(stored >> picture.lsb));
        }
    }
    return result;
}

template <class T>
std::vector<double> reference_as(const SeparableKernel& kernel, const Case& picture, const Samples& samples) {
    const auto src = place<T>(picture, 3);
    write_rows(picture, samples, src.view());
    return reference_convolve<T>(kernel, src.view(), picture.depth, picture.border, picture.black());
}

}  // namespace

template <class T>
GuardedPlane<T>::GuardedPlane(int width, int height, int step, int lsb, int gap, bool upside_down, unsigned salt)
    : salt_(salt) {
    const std::size_t row = sizeof(T) * static_cast<std::size_t>(width * step);
    const std::size_t pitch = row + (static_cast<std::size_t>(gap) + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const auto rows = static_cast<std::size_t>(height);
    bytes_.resize(2 * guard_bytes + pitch * rows);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        bytes_[i] = guard(i);
    }
    const auto stride = static_cast<std::ptrdiff_t>(pitch);
    unsigned char* const top = bytes_.data() + guard_bytes + (upside_down ? pitch * (rows - 1) : 0);
    view_ = {reinterpret_cast<T*>(top), width, height, upside_down ? -stride : stride, step, lsb};
    poison(true);
}

template <class T>
GuardedPlane<T>::~GuardedPlane() {
    poison(false);
}

template <class T>
unsigned char GuardedPlane<T>::guard(std::size_t at) const {
    return static_cast<unsigned char>((at + salt_) * 167 + 13);
}

template <class T>
bool GuardedPlane<T>::guards_intact() const {
    poison(false);
    std::vector<bool> inside(bytes_.size());
    for (int y = 0; y < view_.height; ++y) {
        const auto begin = reinterpret_cast<const unsigned char*>(view_.row(y)) - bytes_.data();
        std::fill_n(inside.begin() + begin, static_cast<std::ptrdiff_t>(sizeof(T)) * view_.samples(), true);
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        if (!inside[i] && bytes_[i] != guard(i)) {
            return false;
        }
    }
    return true;
}

template <class T>
void GuardedPlane<T>::poison([[maybe_unused]] bool on) const {
#ifdef VFILTER_TEST_POISON
    if (!on) {
        ASAN_UNPOISON_MEMORY_REGION(bytes_.data(), bytes_.size());
        return;
    }
    ASAN_POISON_MEMORY_REGION(bytes_.data(), bytes_.size());
    for (int y = 0; y < view_.height; ++y) {
        ASAN_UNPOISON_MEMORY_REGION(view_.row(y), sizeof(T) * static_cast<std::size_t>(view_.samples()));
    }
#endif
}

std::ostream& operator<<(std::ostream& out, const Case& picture) {
    out << picture.width << 'x' << picture.height << " depth " << picture.depth << " lsb " << picture.lsb << " step "
        << picture.step << " gap " << picture.gap << (picture.upside_down ? " upside down " : " ")
        << to_string(picture.border) << " pattern " << static_cast<int>(picture.pattern) << " seed " << picture.seed
        << " cuts";
    for (const int cut : picture.cuts) {
        out << ' ' << cut;
    }
    return out;
}

Samples make_samples(const Case& picture) {
    std::mt19937 random(picture.seed);
    const auto max = static_cast<std::uint16_t>(picture.max_value());
    Samples samples;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.samples(); ++x) {
            const int pixel = x / picture.step;
            const auto one = [&]() -> unsigned {
                switch (picture.pattern) {
                    case Pattern::random:
                        return static_cast<unsigned>(random()) & max;
                    case Pattern::zeros:
                        return 0;
                    case Pattern::maxima:
                        return max;
                    case Pattern::checkerboard:
                        return (pixel + y) % 2 == 0 ? max : 0;
                    case Pattern::impulses:
                        return random() % 97 == 0 ? max : 0;
                    case Pattern::half:
                        return 2 * pixel < picture.width ? max : 0;
                }
                throw std::logic_error("make_samples: not a pattern");
            };
            samples.push_back(static_cast<std::uint16_t>(one()));
        }
    }
    return samples;
}

Samples natural_samples(int width, int height) {
    std::mt19937 random(7);
    std::normal_distribution<double> grain(0, 2.5);
    struct Disc {
        double x, y, radius, light;
    };
    std::vector<Disc> discs(24);
    std::uniform_real_distribution<double> unit(0, 1);
    for (Disc& disc : discs) {
        disc = {unit(random) * width, unit(random) * height, 4 + unit(random) * height / 5, unit(random) * 160 - 80};
    }
    Samples samples;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            double light = 110 + 60.0 * x / width - 45.0 * y / height + 14 * std::sin(x * 0.021) * std::cos(y * 0.033);
            for (const Disc& disc : discs) {
                // An edge two pixels wide, as a lens draws it.
                const double inside = disc.radius - std::hypot(x - disc.x, y - disc.y);
                light += disc.light * std::clamp(inside / 2 + 0.5, 0.0, 1.0);
            }
            light += y > height * 2 / 3 ? 12 * std::sin(x * 0.9 + std::sin(y * 0.37) * 3) : 0;
            light += grain(random);
            samples.push_back(static_cast<std::uint16_t>(std::clamp(std::lround(light), 0L, 255L)));
        }
    }
    return samples;
}

Samples filter(const Operation& made, const Window& window, const std::string& target) {
    if (target != "scalar") {
        force_simd_target(target);
    }
    Samples result = window.picture.depth == 8 ? filter_as<std::uint8_t>(made, window, target)
                                               : filter_as<std::uint16_t>(made, window, target);
    force_simd_target("");
    return result;
}

Samples filter(const Operation& made, const Case& picture, const Samples& samples, const std::string& target) {
    return filter(made, {picture, {samples}}, target);
}

std::vector<double> reference(const Operation& made, const Window& window) {
    const auto as = [&]<class T>(T /*sample*/) {
        const PlacedWindow<T> src(window);
        return reference_operation<T>(made, src.view(), window.picture.border, window.picture.black(),
                                      src.neighbours());
    };
    return window.picture.depth == 8 ? as(std::uint8_t{}) : as(std::uint16_t{});
}

std::vector<double> reference(const SeparableKernel& kernel, const Case& picture, const Samples& samples) {
    return picture.depth == 8 ? reference_as<std::uint8_t>(kernel, picture, samples)
                              : reference_as<std::uint16_t>(kernel, picture, samples);
}

void expect_near(double exact, int result, double bound) {
    constexpr double slack = 1e-6;  // what rounding in double precision may add to a distance
    ASSERT_LE(std::abs(result - std::floor(exact + 0.5)), 1) << "exact " << exact << ", got " << result;
    ASSERT_LE(std::abs(result - exact), 0.5 + bound + slack) << "exact " << exact << ", got " << result;
}

void expect_near_reference(const Operation& made, const SeparableKernel& kernel, const Case& picture) {
    const double bound = std::holds_alternative<DecimatedFilter>(made) ? std::get<DecimatedFilter>(made).error_bound
                                                                       : std::get<LinearFilter>(made).error_bound;
    const Samples samples = make_samples(picture);
    const std::vector<double> exact = reference(kernel, picture, samples);
    const Samples result = filter(made, picture, samples, "scalar");
    for (std::size_t i = 0; i < exact.size(); ++i) {
        ASSERT_NO_FATAL_FAILURE(expect_near(exact[i], result[i], bound)) << i << " of " << picture;
    }
}

void expect_simd_equals_scalar(const Operation& made, const Case& picture) {
    expect_simd_equals_scalar(made, Window{picture, {make_samples(picture)}});
}

void expect_simd_equals_scalar(const Operation& made, const Window& window) {
    const Case& picture = window.picture;
    const Samples expected = filter(made, window, "scalar");
    for (const std::string& target : simd_targets()) {
        const Samples result = filter(made, window, target);
        const auto differs = std::ranges::mismatch(expected, result);
        ASSERT_TRUE(differs.in1 == expected.end())
            << target << " differs from scalar at " << (differs.in1 - expected.begin()) % picture.samples() << ','
            << (differs.in1 - expected.begin()) / picture.samples() << ": " << *differs.in2 << ", not " << *differs.in1
            << "; " << picture;
    }
}

FilterKernel filter_kernel_of(const std::string& filter, const std::string& arguments, double pitch_x, double pitch_y) {
    const FilterDef& def = *find_filter(filter);
    return def.make(parse_filter(def, arguments), pitch_x, pitch_y);
}

SeparableKernel kernel_of(const std::string& filter, const std::string& arguments, double pitch_x, double pitch_y) {
    return filter_kernel_of(filter, arguments, pitch_x, pitch_y).terms.at(0);
}

template class GuardedPlane<std::uint8_t>;
template class GuardedPlane<std::uint16_t>;

Pass rows_of(const LinearFilter& smoothing) {
    const Term& term = smoothing.terms.at(0);
    if (smoothing.uniform) {
        return {term.rows, term.row_shift, 0, 1.0 / static_cast<double>(term.rows.size())};
    }
    const auto scale =
        static_cast<int>(std::lround(std::log2(std::accumulate(term.rows.begin(), term.rows.end(), 0.0))));
    return {term.rows, term.row_shift, scale, std::ldexp(1, -scale)};
}

Pass columns_of(const LinearFilter& smoothing) {
    const Term& term = smoothing.terms.at(0);
    const int shift = smoothing.finish.shift;
    if (smoothing.uniform) {
        return {term.columns, shift, 0, std::ldexp(static_cast<double>(term.rows.size()), -shift)};
    }
    const auto scale =
        static_cast<int>(std::lround(std::log2(std::accumulate(term.columns.begin(), term.columns.end(), 0.0))));
    return {term.columns, shift, scale, std::ldexp(1, -scale)};
}

int fraction_bits(const LinearFilter& smoothing) {
    return static_cast<int>(std::lround(std::log2(smoothing.terms.at(0).centre))) + 1 - smoothing.depth;
}

FilterKernel one_term(const SeparableKernel& kernel) {
    return {.terms = {kernel}};
}

}  // namespace vfilter::test
