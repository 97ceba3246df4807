#include "pipeline/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/cpu/scalar.h"
#include "kernels/reference.h"

namespace vfilter {

Verifier::Verifier(std::vector<FilterSpec> filters, const PictureFormat& format)
    : filters_(std::move(filters)), layouts_(plane_layouts(format)) {}

template <class T>
void Verifier::check_field(const AVFrame& in, const AVFrame& out, const PlaneLayout& layout, int field, int fields,
                           std::int64_t frame) {
    const PlaneView<const T> src = plane_view<const T>(in, layout, field, fields);
    const PlaneView<const T> dst = plane_view<const T>(out, layout, field, fields);
    const auto samples = static_cast<std::size_t>(src.samples());
    const auto place = [&](int x, int y) {
        return fmt::format("frame {}, plane {}, column {}, row {}", frame, layout.index, x / layout.step,
                           y * fields + field);
    };
    std::vector<T> current(samples * static_cast<std::size_t>(src.height));
    std::vector<T> next(current.size());
    const auto packed = [&](std::vector<T>& of) {
        const auto stride = static_cast<std::ptrdiff_t>(samples * sizeof(T));
        return PlaneView<T>{of.data(), src.width, src.height, stride, src.step, src.lsb};
    };
    for (int y = 0; y < src.height; ++y) {
        std::copy_n(src.row(y), samples, packed(current).row(y));
    }
    for (const FilterSpec& filter : filters_) {
        const auto convolution = plane_convolution(filter, layout);
        if (!convolution) {
            continue;
        }
        const PlaneView<const T> from = packed(current);
        convolve_scalar<T>(*convolution, from, packed(next), filter.border, layout.black, 0, src.height);
        const std::vector<double> real =
            reference_convolve<T>(convolution->exact, from, layout.depth, filter.border, layout.black);
        for (std::size_t i = 0; i < real.size(); ++i) {
            const int wanted =
                static_cast<int>(std::clamp(std::floor(real[i] + 0.5), 0.0, double{1} * convolution->max_value()));
            const int off = std::abs((next[i] >> layout.lsb) - wanted);
            result_.off_by_one += off == 1 ? 1 : 0;
            if (off > 1) {
                throw Error(ExitCode::internal,
                            fmt::format("--verify: {} is {} from the double-precision result",
                                        place(static_cast<int>(i % samples), static_cast<int>(i / samples)), off));
            }
        }
        result_.samples += static_cast<std::int64_t>(real.size());
        std::swap(current, next);
    }
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < dst.samples(); ++x) {
            if (dst.row(y)[x] != packed(current).row(y)[x]) {
                throw Error(ExitCode::internal, fmt::format("--verify: {} is {}, the scalar code gives {}", place(x, y),
                                                            dst.row(y)[x], packed(current).row(y)[x]));
            }
        }
    }
}

void Verifier::check(const AVFrame& in, const AVFrame& out, std::int64_t frame) {
    const int fields = field_count(in);
    for (const PlaneLayout& layout : layouts_) {
        for (int field = 0; field < std::min(fields, layout.height); ++field) {
            if (layout.depth == 8) {
                check_field<std::uint8_t>(in, out, layout, field, fields, frame);
            } else {
                check_field<std::uint16_t>(in, out, layout, field, fields, frame);
            }
        }
    }
    ++result_.frames;
}

std::string Verifier::summary() const {
    const double equal = result_.samples == 0 ? 100
                                              : 100.0 * static_cast<double>(result_.samples - result_.off_by_one) /
                                                    static_cast<double>(result_.samples);
    return fmt::format(
        "verified {} frames: equal to the scalar code; {:.3f} % of samples equal to double precision, the others "
        "off by 1",
        result_.frames, equal);
}

}  // namespace vfilter
