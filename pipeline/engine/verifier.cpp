#include "pipeline/engine/verifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/scalar.h"

namespace vfilter {

Verifier::Verifier(const std::vector<FilterSpec>& filters, const PictureFormat& format)
    : format_(format), layouts_(plane_layouts(format)) {
    for (const FilterSpec& filter : filters) {
        steps_.push_back(make_step(filter, format));
    }
}

template <class T>
void Verifier::check_field(const AVFrame& in, const AVFrame& out, std::size_t plane, int field, int fields,
                           std::int64_t frame) {
    const PlaneLayout& layout = layouts_[plane];
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
    for (std::size_t n = 0; n < steps_.size(); ++n) {
        const FilterStep& step = steps_[n];
        const std::optional<Operation>& made = step.planes[plane];
        if (!made || !uses_[n].works) {
            continue;
        }
        const PlaneView<const T> from = packed(current);
        filter_scalar<T>(*made, from, packed(next), step.border, layout.black, 0, src.height);
        const std::vector<double> real = reference_operation<T>(*made, from, step.border, layout.black);
        for (std::size_t i = 0; i < real.size(); ++i) {
            const int mask = (1 << layout.depth) - 1;
            constexpr double doubt = 1;
            const int off = miss(*made, real[i], (current[i] >> layout.lsb) & mask, next[i] >> layout.lsb, doubt);
            result_.off_by_one += off == 1 ? 1 : 0;
            if (off > 1) {
                throw Error(ExitCode::internal,
                            fmt::format("--verify: {} is {} from the double-precision result",
                                        place(static_cast<int>(i % samples), static_cast<int>(i / samples)), off));
            }
        }
        if (uses_[n].weights != nullptr) {
            blend_rows<T>((*uses_[n].weights)[plane], field, fields, from, packed(next), 0, src.height);
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
    uses_.clear();
    for (FilterStep& step : steps_) {
        uses_.push_back(step.region.at(picture_time(format_.clock, frame, in.pts), fields));
    }
    for (std::size_t plane = 0; plane < layouts_.size(); ++plane) {
        for (int field = 0; field < std::min(fields, layouts_[plane].height); ++field) {
            if (layouts_[plane].depth == 8) {
                check_field<std::uint8_t>(in, out, plane, field, fields, frame);
            } else {
                check_field<std::uint16_t>(in, out, plane, field, fields, frame);
            }
        }
    }
    ++result_.frames;
}

Verifier::Result& Verifier::Result::operator+=(const Result& other) {
    frames += other.frames;
    samples += other.samples;
    off_by_one += other.off_by_one;
    return *this;
}

std::string summary_of(const Verifier::Result& result) {
    const double equal = result.samples == 0 ? 100
                                             : 100.0 * static_cast<double>(result.samples - result.off_by_one) /
                                                   static_cast<double>(result.samples);
    return fmt::format(
        "verified {} frames: equal to the scalar code; {:.3f} % of samples equal to double precision, the others "
        "off by 1",
        result.frames, equal);
}

}  // namespace vfilter
