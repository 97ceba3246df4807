#include "library/plan.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
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

// The names of arguments, without those that check_arguments refuses.
std::vector<std::string_view> argument_names(const FilterDef& def) {
    std::vector<std::string_view> names;
    if (def.takes_matrix) {
        names.emplace_back("matrix");
    }
    for (const Parameter& parameter : def.parameters) {
        names.push_back(parameter.name);
    }
    for (const CommonArgument& row : common_arguments()) {
        if (row.name != "mask" && row.name != "pad" && row.name != "enable") {
            names.push_back(row.name);
        }
    }
    return names;
}

// Arguments that read files, or ask when a picture is shown; and those that are none, for which the advice is another
// than the program's.
void check_arguments(const FilterDef& def, std::string_view arguments) {
    constexpr std::string_view elsewhere[] = {"file=", "mask=", "pad=", "enable=", "region=@"};
    const std::vector<std::string_view> names = argument_names(def);
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
        const std::string_view name = part.substr(0, part.find('='));
        if (name.size() < part.size() && std::ranges::find(names, name) == names.end()) {
            throw Failure(VFILTER_ERROR_ARGUMENT,
                          std::string(def.name) + ": no parameter '" + shortened(name) + "'" + suggestion(name, names));
        }
        if (part.size() == rest.size()) {
            return;
        }
        rest.remove_prefix(part.size() + 1);
    }
}

// The table without the word auto, for which a video's first pictures are measured.
class Offered {
public:
    Offered() {
        for (const FilterDef& row : filter_table()) {
            rows_.push_back({row, {row.parameters.begin(), row.parameters.end()}});
        }
        for (Row& row : rows_) {
            for (Parameter& parameter : row.parameters) {
                parameter.measured = false;
                if (row.def.measured != nullptr && !parameter.choices.empty() && parameter.choices.back() == "auto") {
                    parameter.choices = parameter.choices.first(parameter.choices.size() - 1);
                }
            }
            row.def.measured = nullptr;
            row.def.parameters = row.parameters;
        }
    }
    // Null if there is none of that name.
    [[nodiscard]] const FilterDef* find(std::string_view name) const {
        const auto found = std::ranges::find(rows_, name, [](const Row& row) { return row.def.name; });
        return found == rows_.end() ? nullptr : &found->def;
    }

private:
    struct Row {
        FilterDef def;
        std::vector<Parameter> parameters;
    };
    std::vector<Row> rows_;
};

FilterSpec read_step(const vfilter_step& step) {
    // Never destroyed: functions that are called at the end of a program, and threads that run on, still use it.
    static const Offered& offered = *new Offered();
    if (step.filter == nullptr) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "a step has no filter");
    }
    const std::string_view arguments = step.arguments == nullptr ? "" : step.arguments;
    const FilterDef* const def = offered.find(step.filter);
    if (def == nullptr) {
        std::vector<std::string_view> names;
        for (const FilterDef& row : filter_table()) {
            names.push_back(row.name);
        }
        throw Failure(VFILTER_ERROR_ARGUMENT,
                      "there is no filter '" + shortened(step.filter) + "'" + suggestion(step.filter, names));
    }
    check_arguments(*def, arguments);
    return parse_filter(*def, arguments);
}

// The region's, of a picture of that size; which filter of a chain has another is told.
std::vector<PixelBox> boxes_of(const FilterSpec& spec, int width, int height) {
    try {
        return fixed_boxes(spec.region, width, height);
    } catch (const RegionError& error) {
        throw Failure(VFILTER_ERROR_ARGUMENT, std::string(spec.def->name) + ": " + error.what());
    }
}

// What a depth cannot hold is told with the filter's name.
std::optional<Operation> named_operation(const FilterSpec& spec, const TargetPlane& plane) {
    try {
        return plane_operation(spec, plane);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(std::string(spec.def->name) + ": " + error.what());
    }
}

}  // namespace

Plan::Plan(std::span<const vfilter_step> steps, const vfilter_format& format) : format_(format) {
    check(format);
    if (steps.empty() || steps.size() > max_steps) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "a chain has 1 to " + std::to_string(max_steps) + " filters");
    }
    for (const vfilter_step& one : steps) {
        auto step = std::make_unique<Step>();
        step->spec = read_step(one);
        const bool constant = step->spec.border == Border::constant;
        bool one_border = true;
        for (int i = 0; i < format.channels; ++i) {
            const auto component = static_cast<Component>(format.components[i]);
            std::optional<Operation> made = named_operation(step->spec, {.depth = format.depth,
                                                                         .pitch_x = 1 << format.subsampling_x,
                                                                         .pitch_y = 1 << format.subsampling_y,
                                                                         .components = {component, component},
                                                                         .matrix = matrices[format.matrix],
                                                                         .full_range = format.full_range != 0});
            if (!made) {
                step->of_channel.push_back(-1);
                continue;
            }
            // What hangs on the component alone: colours, and how chroma is treated.
            int index = -1;
            for (int other = 0; other < i && !std::holds_alternative<Fill>(*made); ++other) {
                index = is_chroma(other) == is_chroma(i) ? step->of_channel[static_cast<std::size_t>(other)] : index;
            }
            if (index < 0) {
                index = static_cast<int>(step->operations.size());
                step->operations.push_back(*std::move(made));
            }
            step->of_channel.push_back(index);
            one_border = one_border && (!constant || black(i) == black(step->first_channel()));
        }
        const bool rgb = std::any_of(format.components, format.components + format.channels,
                                     [](vfilter_component one) { return one >= VFILTER_RED && one <= VFILTER_BLUE; });
        if (rgb && step->operations.empty() && step->spec.effective_chroma() == Chroma::neutral) {
            throw Failure(VFILTER_ERROR_ARGUMENT,
                          std::string(step->spec.def->name) + ": RGB pictures have no chroma to set to grey");
        }
        step->alike = step->operations.size() <= 1 && one_border;
        steps_.push_back(std::move(step));
    }
}

TimeReach Plan::reach() const {
    TimeReach sum;
    for (const auto& step : steps_) {
        sum.before += step->spec.time_reach().before;
        sum.after += step->spec.time_reach().after;
    }
    return sum;
}

bool Plan::is_chroma(int channel) const {
    return format_.components[channel] == VFILTER_CB || format_.components[channel] == VFILTER_CR;
}

int Plan::black(int channel) const {
    if (is_chroma(channel)) {
        return 1 << (format_.depth - 1);
    }
    return format_.components[channel] != VFILTER_LUMA || format_.full_range != 0 ? 0 : 16 << (format_.depth - 8);
}

int Plan::Step::first_channel() const {
    return static_cast<int>(std::ranges::find_if(of_channel, [](int index) { return index >= 0; }) -
                            of_channel.begin());
}

std::shared_ptr<const Plan::Weights> Plan::Step::weights(const vfilter_format& format, const Pictures& like,
                                                         const std::function<bool()>& stop) const {
    if (spec.region.everywhere()) {
        return nullptr;
    }
    if (const CacheMutex::Lock lock(mutex_); lock && weights_ && weights_->are_of(like)) {
        return weights_;
    }
    // Without the lock: `stop` is the caller's, who may use this very operation there.
    const Region& region = spec.region;
    const int luma_width = like.luma_width > 0 ? like.luma_width : like.width << format.subsampling_x;
    const int luma_height = like.luma_height > 0 ? like.luma_height : like.height << format.subsampling_y;
    const std::vector<PixelBox> boxes = boxes_of(spec, luma_width, luma_height);
    WeightMaker maker(luma_width, luma_height,
                      {{like.width, like.height, 1 << format.subsampling_x, 1 << format.subsampling_y}},
                      {.invert = region.invert, .feather = region.feather, .outside = region.outside});
    auto made = std::make_shared<Weights>(Weights{like.width, like.height, like.luma_width, like.luma_height, {}});
    if (!maker.make({.boxes = boxes}, made->planes, stop)) {
        return nullptr;
    }
    std::shared_ptr<const Weights> before;  // given back without the lock
    if (const CacheMutex::Lock lock(mutex_); lock) {
        if (weights_ && weights_->are_of(like)) {
            return weights_;  // another one's, who was faster
        }
        before = std::exchange(weights_, made);
    }
    return made;
}

}  // namespace vfilter
