#include "pipeline/engine/verifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/scalar.h"

namespace vfilter {

namespace {

template <class T>
PlaneView<T> field_of(T* data, const PlaneLayout& layout, int field, int fields) {
    const auto stride = static_cast<std::ptrdiff_t>(sizeof(T)) * layout.width * layout.step;
    T* const first = data + std::ptrdiff_t{field} * layout.width * layout.step;
    return {first,           layout.width, (layout.height - field + fields - 1) / fields,
            stride * fields, layout.step,  layout.lsb};
}

std::string place_in_picture(std::int64_t frame, const PlaneLayout& layout, int x, int y) {
    return fmt::format("frame {}, plane {}, column {}, row {}", frame, layout.index, x / layout.step, y);
}

}  // namespace

Verifier::Verifier(const std::vector<FilterSpec>& filters, const PictureFormat& format)
    : format_(format), time_(time_reach(filters)), layouts_(plane_layouts(format)) {
    for (const FilterSpec& filter : filters) {
        steps_.push_back(make_step(filter, format));
        times_.push_back(filter.time_reach());
    }
}

void Verifier::see(const AVFrame& in, std::int64_t frame, std::int64_t counted) {
    if (time_ == TimeReach{}) {
        return;
    }
    // What has not been checked yet may be as old as the engine's delay and one more, and looks back as far. Engines
    // that work on several at once give what is wanted later still.
    if (wants(frame)) {
        unchecked_.push_back(count_);
    }
    seen_.push_back({FramePtr(av_frame_clone(&in)), frame, counted < 0 ? frame : counted});
    ++count_;
    std::int64_t first = count_ - 2 * time_.pictures();
    if (!unchecked_.empty()) {
        first = std::min(first, unchecked_.front() - time_.pictures());
    }
    while (count_ - std::ssize(seen_) < first) {
        seen_.pop_front();
    }
}

const AVFrame& Verifier::picture(std::int64_t number) const {
    return *seen_.at(static_cast<std::size_t>(number - (count_ - std::ssize(seen_)))).picture;
}

const Verifier::Use& Verifier::use_of(std::size_t step, std::int64_t number) {
    const auto found = uses_.find({step, number});
    if (found != uses_.end()) {
        return found->second;
    }
    const AVFrame& in = picture(number);
    const std::int64_t frame = seen_.at(static_cast<std::size_t>(number - (count_ - std::ssize(seen_)))).counted;
    const StepRegion::Use use = steps_[step].region.at(picture_time(format_.clock, frame, in.pts), field_count(in));
    Use kept{use.works, std::nullopt};
    if (use.weights != nullptr) {
        kept.weights = *use.weights;
    }
    return uses_.emplace(StepAt{step, number}, std::move(kept)).first->second;
}

// A plane of a picture after so many steps.
template <class T>
const std::vector<T>& Verifier::value(std::size_t steps, std::int64_t number, std::size_t plane, Values<T>& values) {
    const auto found = values.find({steps, number});
    if (found != values.end()) {
        return found->second;
    }
    const PlaneLayout& layout = layouts_[plane];
    std::vector<T> made;
    if (steps == 0) {
        const PlaneView<const T> src = plane_view<const T>(picture(number), layout, 0, 1);
        for (int y = 0; y < src.height; ++y) {
            made.insert(made.end(), src.row(y), src.row(y) + src.samples());
        }
    } else if (!steps_[steps - 1].planes[plane] || !use_of(steps - 1, number).works) {
        made = value(steps - 1, number, plane, values);
    } else {
        run_step(steps - 1, number, plane, values, made);
    }
    return values.emplace(StepAt{steps, number}, std::move(made)).first->second;
}

template <class T>
void Verifier::run_step(std::size_t step, std::int64_t number, std::size_t plane, Values<T>& values,
                        std::vector<T>& made) {
    const PlaneLayout& layout = layouts_[plane];
    const Operation& operation = *steps_[step].planes[plane];
    const TimeReach time = time_reach(operation);
    std::vector<const std::vector<T>*> seen;
    for (int offset = -time.before; offset <= time.after; ++offset) {
        const std::int64_t other = offset == 0 ? number : picture_in_time(number, offset, time, count_);
        const std::vector<T>& samples = value(step, other, plane, values);
        if (offset != 0) {
            seen.push_back(&samples);
        }
    }
    const std::vector<T>& before = value(step, number, plane, values);
    const Use& use = use_of(step, number);
    const Border border = steps_[step].border;
    made.resize(before.size());
    const int fields = field_count(picture(number));
    for (int field = 0; field < std::min(fields, layout.height); ++field) {
        const PlaneView<const T> from = field_of(before.data(), layout, field, fields);
        const PlaneView<T> to = field_of(made.data(), layout, field, fields);
        std::vector<PlaneView<const T>> neighbours;
        neighbours.reserve(seen.size());
        for (const std::vector<T>* const samples : seen) {
            neighbours.push_back(field_of(samples->data(), layout, field, fields));
        }
        filter_scalar<T>(operation, from, neighbours, to, border, layout.black, 0, from.height);
        if (number == checked_) {
            hold_against_reference<T>(
                operation, from, to, reference_operation<T>(operation, from, border, layout.black, neighbours),
                [&](int x, int y) { return place_in_picture(checked_frame_, layout, x, y * fields + field); });
        }
        if (use.weights) {
            blend_rows<T>((*use.weights)[plane], field, fields, from, to, 0, from.height);
        }
    }
}

template <class T>
void Verifier::hold_against_reference(const Operation& made, const PlaneView<const T>& from,
                                      const PlaneView<const T>& result, const std::vector<double>& real,
                                      const auto& place) {
    const int mask = (1 << depth_of(made)) - 1;
    constexpr double doubt = 1;
    for (std::size_t i = 0; i < real.size(); ++i) {
        const auto samples = static_cast<std::size_t>(from.samples());
        const int y = static_cast<int>(i / samples);
        const std::size_t x = i % samples;
        const int off = miss(made, real[i], (from.row(y)[x] >> from.lsb) & mask, result.row(y)[x] >> from.lsb, doubt);
        result_.off_by_one += off == 1 ? 1 : 0;
        if (off > 1) {
            throw Error(ExitCode::internal, fmt::format("--verify: {} is {} from the double-precision result",
                                                        place(static_cast<int>(x), y), off));
        }
    }
    result_.samples += static_cast<std::int64_t>(real.size());
}

template <class T>
void Verifier::check_plane(const AVFrame& out, std::size_t plane, std::int64_t frame) {
    const PlaneLayout& layout = layouts_[plane];
    Values<T> values;
    const std::vector<T>& expected = value<T>(steps_.size(), checked_, plane, values);
    const PlaneView<const T> right = field_of(expected.data(), layout, 0, 1);
    const PlaneView<const T> dst = plane_view<const T>(out, layout, 0, 1);
    for (int y = 0; y < dst.height; ++y) {
        for (int x = 0; x < dst.samples(); ++x) {
            if (dst.row(y)[x] != right.row(y)[x]) {
                throw Error(ExitCode::internal,
                            fmt::format("--verify: {} is {}, the scalar code gives {}",
                                        place_in_picture(frame, layout, x, y), dst.row(y)[x], right.row(y)[x]));
            }
        }
    }
}

void Verifier::check(const AVFrame& in, const AVFrame& out, std::int64_t frame, std::int64_t counted) {
    if (time_ == TimeReach{}) {
        seen_.clear();
        seen_.push_back({FramePtr(av_frame_clone(&in)), frame, counted < 0 ? frame : counted});
        count_ = 1;
    }
    const auto found = std::ranges::find(seen_, frame, &Seen::frame);
    if (found == seen_.end()) {
        throw Error(ExitCode::internal, fmt::format("--verify: frame {} was not seen", frame));
    }
    checked_ = count_ - (seen_.end() - found);
    checked_frame_ = frame;
    while (!unchecked_.empty() && unchecked_.front() <= checked_) {
        unchecked_.pop_front();
    }
    uses_.clear();
    for (std::size_t plane = 0; plane < layouts_.size(); ++plane) {
        if (layouts_[plane].depth == 8) {
            check_plane<std::uint8_t>(out, plane, frame);
        } else {
            check_plane<std::uint16_t>(out, plane, frame);
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
        "verified {} frame{}: equal to the scalar code; {:.3f} % of samples equal to double precision, the others "
        "off by 1",
        result.frames, result.frames == 1 ? "" : "s", equal);
}

}  // namespace vfilter
