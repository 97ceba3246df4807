#include "library/chain.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "filters/names.h"
#include "filters/region_geometry.h"
#include "filters/region_weights.h"
#include "library/failure.h"

namespace vfilter {

namespace {

constexpr ColourMatrix matrices[] = {ColourMatrix::bt709, ColourMatrix::bt601, ColourMatrix::bt2020,
                                     ColourMatrix::smpte240m, ColourMatrix::fcc};
static_assert(VFILTER_LUMA == static_cast<int>(Component::luma) && VFILTER_CR == static_cast<int>(Component::cr) &&
              VFILTER_BLUE == static_cast<int>(Component::blue) && VFILTER_ALPHA == static_cast<int>(Component::alpha));
static_assert(VFILTER_MAX_CHANNELS <= max_step);  // interleaved ones are one plane

constexpr std::size_t max_steps = 1000;  // as the program has it
constexpr int max_subsampling = 4;

void check(const vfilter_format& format) {
    const auto refuse = [](const std::string& what) { throw Failure(VFILTER_ERROR_ARGUMENT, "format: " + what); };
    if (format.struct_size < sizeof(vfilter_format)) {
        refuse("its struct_size is not set");
    }
    if (format.depth < 8 || format.depth > 16) {
        refuse("depth is 8 to 16 bits, not " + std::to_string(format.depth));
    }
    if (format.channels < 1 || format.channels > VFILTER_MAX_CHANNELS) {
        refuse("channels are 1 to 4, not " + std::to_string(format.channels));
    }
    if (format.shift != 0 && (format.depth == 8 || format.shift != 16 - format.depth)) {
        refuse("shift is 0, or what 16 bits have more than a sample");
    }
    if (format.matrix < VFILTER_BT709 || format.matrix > VFILTER_FCC) {
        refuse("there is no such matrix");
    }
    const bool subsampled = format.subsampling_x != 0 || format.subsampling_y != 0;
    for (int i = 0; i < format.channels; ++i) {
        const vfilter_component component = format.components[i];
        if (component < VFILTER_LUMA || component > VFILTER_ALPHA) {
            refuse("there is no such component");
        }
        if (subsampled && component != VFILTER_CB && component != VFILTER_CR) {
            refuse("subsampling is of planes of chroma alone");
        }
    }
    if (format.subsampling_x < 0 || format.subsampling_x > max_subsampling || format.subsampling_y < 0 ||
        format.subsampling_y > max_subsampling) {
        refuse("subsampling is 0 to " + std::to_string(max_subsampling));
    }
}

// Arguments that read files, or ask when a picture is shown.
void check_arguments(const FilterDef& def, std::string_view arguments) {
    constexpr std::string_view elsewhere[] = {"file=", "mask=", "pad=", "enable=", "region=@"};
    for (std::string_view rest = arguments;;) {
        const std::string_view part = rest.substr(0, rest.find(':'));
        for (const std::string_view key : elsewhere) {
            if (part.starts_with(key)) {
                throw Failure(VFILTER_ERROR_UNSUPPORTED,
                              std::string(def.name) + ": " + std::string(key.substr(0, key.find('='))) +
                                  (key.ends_with('@') ? "=@FILE" : "=") +
                                  " is for videos and files; the library opens no files, and takes masks in memory");
            }
        }
        if (part.size() == rest.size()) {
            return;
        }
        rest.remove_prefix(part.size() + 1);
    }
}

FilterSpec read_step(const vfilter_step& step) {
    if (step.filter == nullptr) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "a step has no filter");
    }
    const std::string_view arguments = step.arguments == nullptr ? "" : step.arguments;
    const FilterDef* const def = find_filter(step.filter);
    if (def == nullptr) {
        std::vector<std::string_view> names;
        for (const FilterDef& row : filter_table()) {
            names.push_back(row.name);
        }
        throw Failure(VFILTER_ERROR_ARGUMENT,
                      "there is no filter '" + shortened(step.filter) + "'" + suggestion(step.filter, names));
    }
    check_arguments(*def, arguments);
    FilterSpec spec = parse_filter(*def, arguments);
    if (spec.time_reach() != TimeReach{}) {
        throw Failure(VFILTER_ERROR_UNSUPPORTED,
                      std::string(def->name) +
                          ": the library filters a picture by itself, and this looks at those "
                          "before and after it");
    }
    return spec;
}

}  // namespace

Chain::Chain(std::shared_ptr<const Context> context, std::span<const vfilter_step> steps, const vfilter_format& format)
    : context_(std::move(context)), format_(format) {
    check(format);
    if (steps.empty() || steps.size() > max_steps) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "a chain has 1 to " + std::to_string(max_steps) + " filters");
    }
    for (const vfilter_step& one : steps) {
        auto step = std::make_unique<Step>();
        step->spec = read_step(one);
        step->alike = true;
        std::shared_ptr<const PlaneFilter> first;
        for (int i = 0; i < format.channels; ++i) {
            const auto component = static_cast<Component>(format.components[i]);
            const std::optional<Operation> made = plane_operation(step->spec, {.depth = format.depth,
                                                                               .pitch_x = 1 << format.subsampling_x,
                                                                               .pitch_y = 1 << format.subsampling_y,
                                                                               .components = {component, component},
                                                                               .matrix = matrices[format.matrix],
                                                                               .full_range = format.full_range != 0});
            // What hangs on the component alone: colours, and how chroma is treated.
            const bool own = made && (std::holds_alternative<Fill>(*made) || is_chroma(i) != is_chroma(0));
            if (!made) {
                step->channels.push_back(nullptr);
            } else if (first && !own) {
                step->channels.push_back(first);
            } else {
                step->channels.push_back(std::make_shared<const PlaneFilter>(*made));
                step->alike = step->alike && !first;
                first = first ? first : step->channels.back();
            }
        }
        const bool constant = step->spec.border == Border::constant;
        for (int i = 1; i < format.channels && constant; ++i) {
            step->alike = step->alike && (!step->channels[static_cast<std::size_t>(i)] || black(i) == black(0));
        }
        steps_.push_back(std::move(step));
    }
}

bool Chain::is_chroma(int channel) const {
    return format_.components[channel] == VFILTER_CB || format_.components[channel] == VFILTER_CR;
}

int Chain::black(int channel) const {
    if (is_chroma(channel)) {
        return 1 << (format_.depth - 1);
    }
    return format_.components[channel] != VFILTER_LUMA || format_.full_range != 0 ? 0 : 16 << (format_.depth - 8);
}

std::shared_ptr<const Chain::Weights> Chain::weights_of(const Step& step, int width, int height) const {
    if (step.spec.region.everywhere()) {
        return nullptr;
    }
    const std::lock_guard lock(step.mutex);
    if (!step.weights || step.weights->width != width || step.weights->height != height) {
        const Region& region = step.spec.region;
        const int luma_width = width << format_.subsampling_x;
        const int luma_height = height << format_.subsampling_y;
        const std::vector<PixelBox> boxes = fixed_boxes(region, luma_width, luma_height);
        WeightMaker maker(luma_width, luma_height,
                          {{width, height, 1 << format_.subsampling_x, 1 << format_.subsampling_y}},
                          {.invert = region.invert, .feather = region.feather, .outside = region.outside});
        auto made = std::make_shared<Weights>(Weights{width, height, {}});
        maker.make({.boxes = boxes}, made->planes);
        step.weights = std::move(made);
    }
    return step.weights;
}

void Chain::copy(const Pictures& from, const Pictures& to) const {
    const std::size_t sample = format_.depth > 8 ? 2 : 1;
    context_->run(static_cast<std::size_t>(from.count), [&](std::size_t picture) {
        for (int channel = 0; channel < from.channels; ++channel) {
            copy_rows(from, to, static_cast<std::ptrdiff_t>(picture), channel, 0, from.height, sample);
        }
    });
}

// Bands of rows of all planes of all pictures. Interleaved channels are one plane, and those that are left alone are
// put back.
template <class T>
void Chain::run_planes(const Step& step, const Pictures& from, const Pictures& to, const PlaneWeights* weights) const {
    struct Piece {
        std::ptrdiff_t picture = 0;
        int channel = 0;
        RowBand rows{};
    };
    const bool planar = from.order == Order::planar;
    const int planes = planar ? from.channels : 1;
    const auto share = static_cast<int>(std::min<std::ptrdiff_t>(from.count * planes, context_->threads()));
    const int threads = (context_->threads() + share - 1) / share;
    const auto first_filter = std::ranges::find_if(step.channels, [](const auto& one) { return one != nullptr; });
    std::vector<Piece> pieces;
    for (std::ptrdiff_t picture = 0; picture < from.count; ++picture) {
        for (int channel = 0; channel < planes; ++channel) {
            const PlaneFilter* const filter =
                planar ? step.channels[static_cast<std::size_t>(channel)].get() : first_filter->get();
            if (filter == nullptr) {
                pieces.push_back({picture, channel, {0, from.height, 0, 1}});
                continue;
            }
            for (const RowBand& rows : filter->bands(from.height, 1, threads)) {
                pieces.push_back({picture, channel, rows});
            }
        }
    }
    context_->run(pieces.size(), [&](std::size_t i) {
        const auto& [picture, channel, rows] = pieces[i];
        const PlaneFilter* const filter =
            planar ? step.channels[static_cast<std::size_t>(channel)].get() : first_filter->get();
        if (filter != nullptr) {
            filter->run<T>(from.plane<const T>(picture, channel, format_.shift),
                           to.plane<T>(picture, channel, format_.shift), step.spec.border, black(channel), rows,
                           weights);
        }
        for (int other = planar ? channel : 0; other < (planar ? channel + 1 : from.channels); ++other) {
            if (!step.channels[static_cast<std::size_t>(other)]) {
                copy_rows(from, to, picture, other, rows.first, rows.last, sizeof(T));
            }
        }
    });
}

// Each channel of interleaved pictures by itself, where they have different filters.
template <class T>
void Chain::run_apart(const Step& step, const Pictures& from, const Pictures& to, const PlaneWeights* weights) const {
    const auto channels = static_cast<std::size_t>(from.channels);
    context_->run(static_cast<std::size_t>(from.count) * channels, [&](std::size_t i) {
        const auto picture = static_cast<std::ptrdiff_t>(i / channels);
        const auto channel = static_cast<int>(i % channels);
        const PlaneFilter* const filter = step.channels[i % channels].get();
        if (filter == nullptr) {
            copy_rows(from, to, picture, channel, 0, from.height, sizeof(T));
            return;
        }
        Pictures plane = packed(from, Order::planar, sizeof(T));
        plane.channel_pitch = 0;  // one channel's memory, whichever it is
        plane.picture_pitch = 0;
        const std::size_t bytes = packed_bytes(plane, sizeof(T)) / channels / static_cast<std::size_t>(from.count);
        Buffers::Buffer before(buffers_, bytes);
        Buffers::Buffer after(buffers_, bytes);
        Pictures made = plane;
        plane.data = before.data();
        made.data = after.data();
        copy_rows(from, plane, picture, channel, 0, from.height, sizeof(T));
        filter->run<T>(plane.plane<const T>(0, 0, format_.shift), made.plane<T>(0, 0, format_.shift), step.spec.border,
                       black(channel), {0, from.height, 0, 1}, weights);
        copy_rows(made, to, picture, channel, 0, from.height, sizeof(T));
    });
}

void Chain::run_step(const Step& step, const Pictures& from, const Pictures& to) const {
    const std::shared_ptr<const Weights> made = weights_of(step, from.width, from.height);
    const PlaneWeights* const weights = made ? made->planes.data() : nullptr;
    const auto left_alone = [](const auto& channel) { return channel == nullptr; };
    if (std::ranges::all_of(step.channels, left_alone) || (weights != nullptr && weights->boxes.empty())) {
        copy(from, to);
    } else if (from.order == Order::planar || step.alike) {
        format_.depth == 8 ? run_planes<std::uint8_t>(step, from, to, weights)
                           : run_planes<std::uint16_t>(step, from, to, weights);
    } else {
        format_.depth == 8 ? run_apart<std::uint8_t>(step, from, to, weights)
                           : run_apart<std::uint16_t>(step, from, to, weights);
    }
}

template <class T>
void Chain::blend(const Pictures& source, const Pictures& result, const Pictures& mask) const {
    const int planes = source.order == Order::planar ? source.channels : 1;
    context_->run(static_cast<std::size_t>(source.count), [&](std::size_t i) {
        const auto picture = static_cast<std::ptrdiff_t>(i);
        for (int channel = 0; channel < planes; ++channel) {
            const auto from = source.plane<const T>(picture, channel, format_.shift);
            const auto to = result.plane<T>(picture, channel, format_.shift);
            for (int y = 0; y < source.height; ++y) {
                blend_row<T>(mask.place(mask.count > 1 ? picture : 0, 0, y), from.row(y), to.row(y), to.row(y),
                             to.width, to.step, to.lsb);
            }
        }
    });
}

void Chain::run(const vfilter_picture* source, const vfilter_picture* result,
                const vfilter_run_options* options) const {
    const std::size_t sample = format_.depth > 8 ? 2 : 1;
    const Pictures from = checked(source, "source", format_.channels, sample);
    const Pictures to = checked(result, "result", format_.channels, sample);
    if (from.width != to.width || from.height != to.height || from.count != to.count) {
        throw Failure(VFILTER_ERROR_PICTURE, "source and result are not of the same size and number");
    }
    check_places(to, "result", sample);
    check_apart(from, to, sample);
    std::optional<Pictures> mask;
    if (options != nullptr) {
        if (options->struct_size < sizeof(vfilter_run_options)) {
            throw Failure(VFILTER_ERROR_ARGUMENT, "options: their struct_size is not set");
        }
        if (options->stream != nullptr) {
            throw Failure(VFILTER_ERROR_UNSUPPORTED, "options: this version has no device whose stream it could be");
        }
        if (options->mask != nullptr) {
            mask = checked(options->mask, "mask", 1, 1);
            if (mask->width != from.width || mask->height != from.height ||
                (mask->count != 1 && mask->count != from.count)) {
                throw Failure(VFILTER_ERROR_PICTURE, "mask: it is not of the pictures' size, or is not one or as many");
            }
            check_apart(*mask, to, 1);
        }
    }

    // Filters and blends have one order of samples on both sides.
    const bool as_from = from.order == to.order;
    Pictures last = as_from ? to : packed(from, from.order, sample);
    const Pictures between = packed(from, from.order, sample);
    const std::size_t bytes = packed_bytes(between, sample);
    const std::size_t count = steps_.size();
    std::optional<Buffers::Buffer> memory[2];
    const auto in_memory = [&](std::optional<Buffers::Buffer>& buffer) {
        if (!buffer) {
            buffer.emplace(buffers_, bytes);
        }
        Pictures made = between;
        const auto size = static_cast<std::ptrdiff_t>(sample);
        made.data = buffer->data() + (made.order == Order::interleaved_backwards ? (made.channels - 1) * size : 0);
        return made;
    };
    std::optional<Buffers::Buffer> turned;
    if (!as_from) {
        last = in_memory(turned);
    }
    Pictures now = from;
    for (std::size_t i = 0; i < count; ++i) {
        const Pictures next = i + 1 == count ? last : in_memory(memory[i % 2]);
        run_step(*steps_[i], now, next);
        now = next;
    }
    if (mask) {
        sample == 1 ? blend<std::uint8_t>(from, last, *mask) : blend<std::uint16_t>(from, last, *mask);
    }
    if (!as_from) {
        copy(last, to);
    }
}

}  // namespace vfilter
