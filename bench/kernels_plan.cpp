// The kernels' benchmark: what is measured.

#include <fmt/format.h>

#include <algorithm>

#include "bench/kernels.h"

namespace vfilter::bench {

namespace {

// A filter with all these arguments, on pictures of all these kinds.
struct Sweep {
    std::string_view filter;               ///< empty: each one of the table
    std::vector<std::string_view> values;  ///< arguments; empty: the usual ones
    std::vector<int> depths;
    std::vector<int> cpu_heights;
    std::vector<int> gpu_heights;
    bool chroma = false;
    int components = 1;
};

std::string_view picture_name(bool chroma, int components) {
    constexpr std::string_view names[] = {"plane", "interleaved pair", "RGB", "RGBA"};
    return chroma ? "4:2:0" : names[components - 1];
}

const std::vector<Sweep>& sweeps(bool quick) {
    static const std::vector<Sweep> all = {
        {"gaussian", {"3", "5", "7", "15", "31", "63", "127", "255"}, {8, 10, 16}, {1080}, {2160}},
        {"gaussian", {"5", "15", "31"}, {8}, {720, 2160, 4320}, {720, 1080, 4320}},
        {"gaussian", {"5", "15", "31", "63"}, {8}, {}, {1080, 2160}, true},
        {"sharpen", {}, {8}, {}, {1080, 2160}, true},
        {"sobel", {}, {8}, {}, {2160}, true},
        {"", {}, {8, 10}, {1080}, {2160}},
        {"box", {"31"}, {8}, {1080}, {2160}},
        {"sharpen", {"1:size=3", "1:size=7", "1:size=15", "1:size=31"}, {8}, {1080}, {2160}},
        {"sobel", {"direction=x", "5", "7"}, {8}, {1080}, {2160}},
        {"sobel", {}, {16}, {1080}, {2160}},
        {"gaussian", {"5", "15", "31"}, {8, 16}, {1080}, {}, false, 3},
        {"gaussian", {"5", "15", "31"}, {8}, {512}, {}, false, 3},
        {"gaussian", {"5", "15", "31"}, {8}, {1080}, {}, false, 4},
        {"box", {"3", "5", "15", "31"}, {8}, {1080}, {}, false, 3},
        {"sharpen", {}, {8}, {1080}, {}, false, 3},
        {"sobel", {}, {8}, {1080}, {}, false, 3},
        {"median", {"3", "5", "7", "15", "31"}, {8}, {1080}, {2160}},
        {"median", {"3", "5", "7"}, {16}, {1080}, {2160}},
        {"bilateral", {"30:size=5", "30:size=9"}, {8}, {1080}, {2160}},
        {"tmedian", {"2", "3"}, {8}, {1080}, {2160}},
        {"nlmeans", {"4:frames=1"}, {8}, {1080}, {2160}},
    };
    static const std::vector<Sweep> few = {
        {"gaussian", {"5", "31"}, {8, 10}, {1080}, {2160}},
        {"", {}, {8}, {1080}, {2160}},
        {"gaussian", {"15"}, {8}, {1080}, {}, false, 3},
    };
    return quick ? few : all;
}

Operation operation_on(const FilterSpec& spec, int depth, int pitch) {
    if (spec.def->make != nullptr) {
        return make_operation(spec.def->make(spec, pitch, pitch), depth);
    }
    return operation_of(spec, {.depth = depth, .pitch_x = pitch, .pitch_y = pitch}).value();
}

}  // namespace

std::vector<Operation> make_filters(const FilterDef& def, const std::string& arguments, int depth, bool chroma) {
    const FilterSpec spec = parse_filter(def, arguments);
    std::vector<Operation> filters{operation_on(spec, depth, 1)};
    if (chroma) {
        filters.push_back(operation_on(spec, depth, 2));
    }
    return filters;
}

int usual_height(Backend backend) {
    return backend == Backend::cpu ? 1080 : 2160;
}

std::string usual_arguments(const FilterDef& def) {
    std::string arguments(def.needs_arguments() ? def.example : "");
    std::erase(arguments, '"');  // the shell's
    return arguments;
}

std::vector<KernelRow> plan_kernels(Backend backend, bool quick) {
    std::vector<KernelRow> plan;
    const auto add = [&](const FilterDef& def, const std::string& arguments, int height, int depth,
                         const Sweep& sweep) {
        const std::string filter = fmt::format("{}{}{}", def.name, arguments.empty() ? "" : " ", arguments);
        const std::string name =
            fmt::format("{}p {}, {} bits, {}", height, picture_name(sweep.chroma, sweep.components), depth, filter);
        if (std::ranges::find(plan, name, &KernelRow::name) == plan.end()) {
            plan.push_back({name, filter, &def, arguments, height, depth, sweep.chroma, sweep.components});
        }
    };
    for (const Sweep& sweep : sweeps(quick)) {
        for (const FilterDef& def : filter_table()) {
            if (!sweep.filter.empty() && sweep.filter != def.name) {
                continue;
            }
            const std::string by_itself = usual_arguments(def);
            const std::vector<std::string_view> one{by_itself};
            for (const int height : backend == Backend::cpu ? sweep.cpu_heights : sweep.gpu_heights) {
                for (const int depth : sweep.depths) {
                    for (const std::string_view arguments : sweep.values.empty() ? one : sweep.values) {
                        add(def, std::string(arguments), height, depth, sweep);
                    }
                }
            }
        }
    }
    return plan;
}

}  // namespace vfilter::bench
