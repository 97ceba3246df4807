#include "library/chain.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernels/blend.h"
#include "library/failure.h"

namespace vfilter {

static_assert(VFILTER_MAX_CHANNELS <= max_step);  // interleaved ones are one plane

Chain::Chain(std::shared_ptr<const Context> context, std::span<const vfilter_step> steps, const vfilter_format& format)
    : context_(std::move(context)),
      plan_(std::make_shared<const Plan>(steps, format)),
      devices_(plan_, context_->device_memory()) {
    for (const auto& one : plan_->steps()) {
        std::vector<std::shared_ptr<const PlaneFilter>> made;
        for (const Operation& operation : one->operations) {
            made.push_back(std::make_shared<const PlaneFilter>(operation));
        }
        Step step{.plan = *one, .filters = {}};
        for (const int index : one->of_channel) {
            step.filters.push_back(index < 0 ? nullptr : made[static_cast<std::size_t>(index)]);
        }
        steps_.push_back(std::move(step));
    }
}

namespace {

RowBand all_rows(const Pictures& pictures) {
    return {0, pictures.height, 0, 1};
}

}  // namespace

void Chain::copy(Call& call, const Pictures& from, const Pictures& to) const {
    call.run(static_cast<std::size_t>(from.count), [&](std::size_t picture) {
        call.in_parts(all_rows(from), std::int64_t{from.width} * from.channels, [&](const RowBand& rows) {
            for (int channel = 0; channel < from.channels; ++channel) {
                copy_rows(from, to, static_cast<std::ptrdiff_t>(picture), channel, rows.first, rows.last);
            }
        });
    });
}

namespace {

// The other pictures of a picture's window, as view(number) sees them.
template <class T>
class Window {
public:
    Window(TimeReach reach, std::ptrdiff_t picture, std::ptrdiff_t count, const auto& view) {
        for_each_neighbour(picture, reach, count,
                           [&](std::int64_t seen) { views_.at(size_++) = view(static_cast<std::ptrdiff_t>(seen)); });
    }
    [[nodiscard]] std::span<const PlaneView<const T>> views() const { return {views_.data(), size_}; }

private:
    std::array<PlaneView<const T>, max_neighbours> views_{};
    std::size_t size_ = 0;
};

// Memory of the context's for one task.
class TaskMemory final : public ScratchMemory {
public:
    explicit TaskMemory(Buffers& buffers) : buffers_(buffers) {}
    unsigned char* take(std::size_t bytes) override {
        if (!memory_ || memory_->size() < bytes) {
            memory_.reset();
            memory_.emplace(buffers_, bytes);
        }
        return memory_->data();
    }

private:
    Buffers& buffers_;
    std::optional<Buffers::Buffer> memory_;
};

// Rows of a plane that are to be filtered.
template <class T>
struct Rows {
    const PlaneFilter& filter;
    PlaneView<const T> from;
    PlaneView<T> to;
    Border border = Border::reflect_101;
    int black = 0;
    RowBand band{};
    const PlaneWeights* weights = nullptr;
    std::span<const PlaneView<const T>> window{};

    // What of the rows [first, last) takes time, as samples that are filtered.
    [[nodiscard]] std::int64_t samples(int first, int last) const {
        const std::int64_t all = std::int64_t{from.samples()} * (last - first);
        if (weights == nullptr) {
            return all;
        }
        constexpr int copies = 16;  // in the time of one
        std::int64_t sum = all / copies;
        for (const WeightBox& box : weights->boxes) {
            const int rows = std::min(box.bottom(), last) - std::max(box.top, first);
            sum += std::int64_t{box.width} * from.step * std::max(rows, 0);
        }
        return sum;
    }
};

// Calls then() for each part that has been made.
template <class T>
void filter_rows(Call& call, Pace& pace, const Rows<T>& rows, const auto& then) {
    TaskMemory memory(call.buffers());
    const auto samples = [&](int first, int last) { return rows.samples(first, last); };
    call.in_parts(pace, rows.band, rows.filter.rows_around(), samples, [&](const RowBand& part) {
        rows.filter.template run<T>(rows.from, rows.to, rows.border, rows.black, part, rows.weights, rows.window,
                                    &memory);
        then(part);
    });
}

}  // namespace

// Bands of rows of all planes of all pictures. Interleaved channels are one plane, and those that are left alone are
// put back.
template <class T>
void Chain::run_planes(Call& call, const Step& step, const Sources& sources, const Pictures& to,
                       const PlaneWeights* weights) const {
    const Pictures from = sources.own(to.count);
    struct Piece {
        std::ptrdiff_t picture = 0;
        int channel = 0;
        RowBand rows{};
    };
    const bool planar = from.order == Order::planar;
    const int planes = planar ? from.channels : 1;
    const auto share = static_cast<int>(std::min<std::ptrdiff_t>(from.count * planes, call.threads()));
    const int threads = (call.threads() + share - 1) / share;
    const int first = step.plan.first_channel();  // which all of interleaved ones are like
    const auto filter_of = [&](int channel) {
        return step.filters[static_cast<std::size_t>(planar ? channel : first)].get();
    };
    std::vector<Piece> pieces;
    for (std::ptrdiff_t picture = 0; picture < from.count; ++picture) {
        for (int channel = 0; channel < planes; ++channel) {
            const PlaneFilter* const filter = filter_of(channel);
            if (filter == nullptr) {
                pieces.push_back({picture, channel, {0, from.height, 0, 1}});
                continue;
            }
            for (const RowBand& rows : filter->bands(from.height, 1, threads)) {
                pieces.push_back({picture, channel, rows});
            }
        }
    }
    call.run(pieces.size(), [&](std::size_t i) {
        const std::ptrdiff_t picture = pieces[i].picture;
        const int channel = pieces[i].channel;
        const auto put_back = [&](const RowBand& rows) {
            for (int other = planar ? channel : 0; other < (planar ? channel + 1 : from.channels); ++other) {
                if (!step.filters[static_cast<std::size_t>(other)]) {
                    copy_rows(from, to, picture, other, rows.first, rows.last);
                }
            }
        };
        const PlaneFilter* const filter = filter_of(channel);
        if (filter == nullptr) {
            call.in_parts(pieces[i].rows, from.width, put_back);
            return;
        }
        const int own = planar ? channel : first;
        const int shift = plan_->format().shift;
        const auto view = [&](std::ptrdiff_t seen) { return sources.all.plane<const T>(seen, channel, shift); };
        const Window<T> window(step.reach(own), sources.first + picture, sources.all.count, view);
        filter_rows<T>(call, *step.pace,
                       {*filter, from.plane<const T>(picture, channel, shift), to.plane<T>(picture, channel, shift),
                        step.plan.spec.border, plan_->black(own), pieces[i].rows, weights, window.views()},
                       put_back);
    });
}

// Each channel of interleaved pictures by itself, where they have different filters.
template <class T>
void Chain::run_apart(Call& call, const Step& step, const Sources& sources, const Pictures& to,
                      const PlaneWeights* weights) const {
    const Pictures from = sources.own(to.count);
    const auto channels = static_cast<std::size_t>(from.channels);
    call.run(static_cast<std::size_t>(from.count) * channels, [&](std::size_t i) {
        const auto picture = static_cast<std::ptrdiff_t>(i / channels);
        const auto channel = static_cast<int>(i % channels);
        const auto copy_channel = [&](const Pictures& pictures, const Pictures& made, std::ptrdiff_t number) {
            call.in_parts(all_rows(from), from.width, [&](const RowBand& rows) {
                copy_rows(pictures, made, number, channel, rows.first, rows.last);
            });
        };
        const PlaneFilter* const filter = step.filters[i % channels].get();
        if (filter == nullptr) {
            copy_channel(from, to, picture);
            return;
        }
        Pictures plane = packed(from, Order::planar);
        const auto bytes = static_cast<std::size_t>(plane.channel_pitch);
        plane.channel_pitch = 0;  // one channel's memory, whichever it is
        plane.picture_pitch = 0;
        const TimeReach reach = step.reach(channel);
        // The picture, what is made of it, and its window.
        Buffers::Buffer memory(call.buffers(), bytes * (2 + static_cast<std::size_t>(reach.neighbours())));
        std::size_t used = 0;
        const auto next_plane = [&] {
            Pictures made = plane;
            made.data = memory.data() + bytes * used++;
            return made;
        };
        const int shift = plan_->format().shift;
        const auto taken = [&](const Pictures& pictures, std::ptrdiff_t number) {
            const Pictures copied = next_plane();
            copy_channel(pictures, copied, number);
            return copied.plane<const T>(0, 0, shift);
        };
        const Pictures made = next_plane();
        const Window<T> window(reach, sources.first + picture, sources.all.count,
                               [&](std::ptrdiff_t seen) { return taken(sources.all, seen); });
        const PlaneView<const T> source = taken(from, picture);
        if (call.over()) {
            return;  // nothing is made of copies that are not whole
        }
        filter_rows<T>(call, *step.pace,
                       {*filter, source, made.plane<T>(0, 0, shift), step.plan.spec.border, plan_->black(channel),
                        all_rows(from), weights, window.views()},
                       [&](const RowBand& rows) { copy_rows(made, to, picture, channel, rows.first, rows.last); });
    });
}

bool Chain::run_step(Call& call, const Step& step, const Sources& from, const Pictures& to) const {
    std::shared_ptr<const Plan::Weights> made;
    const std::function<bool()> question = call.question();
    if (!question || step.plan.spec.region.everywhere()) {
        made = step.plan.weights(plan_->format(), from.all);
    } else {  // a task, as an executor's threads are those that ask
        call.run(1, [&](std::size_t) { made = step.plan.weights(plan_->format(), from.all, question); });
    }
    const PlaneWeights* const weights = made ? made->planes.data() : nullptr;
    if (step.plan.leaves_all() || (weights != nullptr && weights->boxes.empty())) {
        copy(call, from.own(to.count), to);
        return false;
    }
    if (to.order == Order::planar || step.plan.alike) {
        plan_->format().depth == 8 ? run_planes<std::uint8_t>(call, step, from, to, weights)
                                   : run_planes<std::uint16_t>(call, step, from, to, weights);
    } else {
        plan_->format().depth == 8 ? run_apart<std::uint8_t>(call, step, from, to, weights)
                                   : run_apart<std::uint16_t>(call, step, from, to, weights);
    }
    return true;
}

template <class T>
void Chain::blend(Call& call, const Pictures& source, const Pictures& result, const Pictures& mask) const {
    const int planes = source.order == Order::planar ? source.channels : 1;
    call.run(static_cast<std::size_t>(source.count), [&](std::size_t i) {
        const auto picture = static_cast<std::ptrdiff_t>(i);
        call.in_parts(all_rows(source), std::int64_t{source.width} * source.channels, [&](const RowBand& rows) {
            for (int channel = 0; channel < planes; ++channel) {
                const auto from = source.plane<const T>(picture, channel, plan_->format().shift);
                const auto to = result.plane<T>(picture, channel, plan_->format().shift);
                for (int y = rows.first; y < rows.last; ++y) {
                    blend_row<T>(mask.place(mask.count > 1 ? picture : 0, 0, y), from.row(y), to.row(y), to.row(y),
                                 to.width, to.step, to.lsb);
                }
            }
        });
    });
}

void Chain::run(const vfilter_picture* source, const vfilter_picture* result, const vfilter_run_options* given) const {
    const vfilter_run_options options = whole_options(given);
    const auto sample = static_cast<std::size_t>(plan_->sample_bytes());
    const Pictures from = checked(source, "source", plan_->format().channels, sample);
    const Pictures to = checked(result, "result", plan_->format().channels, sample);
    const std::ptrdiff_t first = options.first;
    const bool looks = reach() != TimeReach{};
    if (from.width != to.width || from.height != to.height || (!looks && from.count != to.count)) {
        throw Failure(VFILTER_ERROR_PICTURE, "source and result are not of the same size and number");
    }
    if (first < 0 || first > from.count - to.count) {
        throw Failure(VFILTER_ERROR_PICTURE,
                      "the result's pictures are not among the source's, which are " + std::to_string(from.count));
    }
    check_same_memory(from, to, "result");
    check_places(to, "result");
    check_apart(from, "source", to);
    check_luma(from, "source", plan_->format());
    if (options.stream != nullptr && from.device < 0) {
        throw Failure(VFILTER_ERROR_PICTURE, "options: a stream is for pictures in device memory");
    }
    std::optional<Pictures> mask;
    if (options.mask != nullptr) {
        mask = checked(options.mask, "mask", 1, 1, "a mask");
        if (mask->width != from.width || mask->height != from.height || (mask->count != 1 && mask->count != to.count)) {
            throw Failure(VFILTER_ERROR_PICTURE, "mask: it is not of the pictures' size, or is not one or as many");
        }
        check_same_memory(from, *mask, "mask");
        check_apart(*mask, "mask", to);
    }
    if (from.device >= 0) {
        devices_.run({from, first}, to, mask ? &*mask : nullptr, options.stream);
    } else {
        Call call(*context_, options);
        run_here(call, {from, first}, to, mask ? &*mask : nullptr);
    }
}

void Chain::prepare(const vfilter_picture* like) const {
    if (like == nullptr || like->struct_size < offsetof(vfilter_picture, luma_width)) {
        throw Failure(VFILTER_ERROR_PICTURE, "like: no picture, or no struct_size");
    }
    vfilter_picture placed = VFILTER_PICTURE_INIT;
    std::memcpy(&placed, like, std::min(like->struct_size, sizeof(placed)));
    placed.data = &placed;  // a place as good as any, which nobody looks at
    placed.places = nullptr;
    const Pictures pictures =
        checked(&placed, "like", plan_->format().channels, static_cast<std::size_t>(plan_->sample_bytes()));
    check_luma(pictures, "like", plan_->format());
    if (pictures.device >= 0) {
        devices_.prepare(pictures);
        return;
    }
    for (const Step& step : steps_) {
        step.plan.weights(plan_->format(), pictures);
    }
}

// Every step but the last makes all pictures that there are: a later one may look at them.
void Chain::run_here(Call& call, const Sources& sources, const Pictures& to, const Pictures* mask) const {
    const Pictures from = sources.own(to.count);
    // Filters and blends have one order of samples on both sides.
    const bool as_from = from.order == to.order;
    Pictures last = to;
    const Pictures between = packed(sources.all, from.order);
    const std::size_t count = steps_.size();
    std::optional<Buffers::Buffer> memory[2];
    const auto in_memory = [&](std::optional<Buffers::Buffer>& buffer) {
        if (!buffer) {
            buffer.emplace(call.buffers(), packed_bytes(between));
        }
        Pictures made = between;
        made.data =
            buffer->data() + (made.order == Order::interleaved_backwards ? (made.channels - 1) * made.sample : 0);
        return made;
    };
    std::optional<Buffers::Buffer> turned;
    if (!as_from) {
        last = in_memory(turned).part(0, to.count);
    }
    Pictures now = sources.all;
    bool filtered = false;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const Pictures next = in_memory(memory[i % 2]);
        filtered = run_step(call, steps_[i], {now, 0}, next) || filtered;
        now = next;
    }
    filtered = run_step(call, steps_.back(), {now, sources.first}, last) || filtered;
    // What nothing has filtered keeps all of its bits.
    if (mask && filtered) {
        from.sample == 1 ? blend<std::uint8_t>(call, from, last, *mask) : blend<std::uint16_t>(call, from, last, *mask);
    }
    if (!as_from) {
        copy(call, last, to);
    }
}

}  // namespace vfilter
