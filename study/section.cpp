// The two ladders as a section of the report: what is climbed.

#include "study/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "study/plan.h"
#ifdef VFILTER_WITH_CUDA
#include "bench/gpu.h"
#include "bench/gpu_libraries.h"
#endif

namespace vfilter::study {

namespace {

// A ladder's rungs on one device, for all configurations of it.
struct Ladder {
    std::vector<Rung> rungs;
    bool gpu;
    std::function<std::vector<Climb>(std::size_t configuration, const Begin&)> climb;
};

std::size_t count_wanted(const Wishes& wishes, const Run& run, const Ladder& ladder) {
    return static_cast<std::size_t>(
        std::ranges::count_if(ladder.rungs, [&](const Rung& rung) { return wanted(wishes, row_name(run, rung)); }));
}

// A configuration that there is no memory for does not take the others with it.
void climb(const Ladder& ladder, const Wishes& wishes, Progress& progress, Runs& runs, Section& section) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Run& run = runs[i];
        if (count_wanted(wishes, run, ladder) == 0) {
            continue;
        }
        const Begin begin = [&](const Rung& rung) {
            const bool yes = wanted(wishes, row_name(run, rung));
            if (yes) {
                progress.step(row_name(run, rung));
            }
            return yes;
        };
        try {
            for (Climb& one : ladder.climb(i, begin)) {
                one.gpu = ladder.gpu;
                run.climbs.push_back(std::move(one));
            }
        } catch (const std::exception& error) {
            section.left_out.push_back({run.name + (ladder.gpu ? " on the GPU" : ""), error.what()});
        }
    }
}

std::vector<FilterCase> filter_cases(const Wishes& wishes) {
    std::vector<FilterCase> cases;
    for (const Picture& picture : pictures) {
        for (const Radius& radius : radii) {
            if (!wishes.quick || (picture.quick && radius.quick)) {
                cases.push_back({picture.name, picture.width, picture.height, radius.radius});
            }
        }
    }
    return cases;
}

std::vector<Layer> layer_cases(const Wishes& wishes) {
    std::vector<Layer> cases;
    for (const LayerRow& row : layer_rows) {
        if (!wishes.quick || row.quick) {
            cases.push_back(row.layer);
        }
    }
    return cases;
}

void choose_gpu([[maybe_unused]] const Wishes& wishes, [[maybe_unused]] Section& section) {
#ifdef VFILTER_WITH_CUDA
    if (!wishes.cuda) {
        return;
    }
    cuda_check(cudaSetDevice(wishes.gpu), "cudaSetDevice");
    for (const GpuLibrary library : {GpuLibrary::npp, GpuLibrary::cublas, GpuLibrary::cufft, GpuLibrary::cudnn}) {
        if (const std::string why = why_missing(library); !why.empty()) {
            section.left_out.push_back({std::string(name_of(library)) + "'s rungs", why});
        }
    }
#endif
}

struct Climbed {
    Runs filters;
    Runs layers;
};

Climbed climb_all(const Wishes& wishes, Progress& progress, Section& section) {
    const std::vector<FilterCase> filters = filter_cases(wishes);
    const std::vector<Layer> all_layers = layer_cases(wishes);
    Climbed runs;
    for (const FilterCase& filter : filters) {
        runs.filters.push_back({"filter", fmt::format("{}, radius {}", filter.picture, filter.radius), filter});
    }
    for (const Layer& layer : all_layers) {
        runs.layers.push_back({"layer", std::string(layer.name)});
    }
    const int threads = wishes.threads > 0 ? wishes.threads : std::max(1U, std::thread::hardware_concurrency());
    choose_gpu(wishes, section);
    const Ladder on_cpu{cpu_rungs(), false,
                        [&](std::size_t i, const Begin& begin) { return climb_cpu(filters[i], threads, begin); }};
    const Ladder on_gpu{filter_rungs(), true,
                        [&](std::size_t i, const Begin& begin) { return climb_filter(filters[i], begin); }};
    const Ladder of_layers{layer_rungs(), true,
                           [&](std::size_t i, const Begin& begin) { return climb_layer(all_layers[i], begin); }};
    std::vector<std::pair<const Ladder*, Runs*>> plan;
    if (wishes.cpu) {
        plan.emplace_back(&on_cpu, &runs.filters);
    }
    if (wishes.cuda) {
        plan.emplace_back(&on_gpu, &runs.filters);
        plan.emplace_back(&of_layers, &runs.layers);
    } else {
        section.left_out.push_back({"the GPU's rungs and all layers", "no GPU is measured"});
    }
    for (const auto& [ladder, of] : plan) {
        for (const Run& run : *of) {
            progress.plan(count_wanted(wishes, run, *ladder));
        }
    }
    for (const auto& [ladder, of] : plan) {
        climb(*ladder, wishes, progress, *of, section);
    }
    return runs;
}

}  // namespace

std::string row_name(const Run& run, const Rung& rung) {
    return fmt::format("{}: {}", run.name, rung.name);
}

double times_faster(const Climb& one, const Climb& other) {
    return other.microseconds.median / one.microseconds.median;
}

#ifndef VFILTER_WITH_CUDA
std::vector<Rung> filter_rungs() {
    return {};
}
std::vector<Rung> layer_rungs() {
    return {};
}
std::vector<Climb> climb_filter(const FilterCase& /*filter*/, const Begin& /*begin*/) {
    return {};
}
std::vector<Climb> climb_layer(const Layer& /*layer*/, const Begin& /*begin*/) {
    return {};
}
#endif

Section measure_ladder(const Wishes& wishes, Progress& progress) {
    Section section;
    section.key = "ladder";
    section.title = "The ladder";
    section.text =
        "How a filter, and a convolution layer, became fast: each rung adds one idea to the one before, and is "
        "measured in the same run on the same machine.";
    const Climbed runs = climb_all(wishes, progress, section);
    add_tables(section, runs.filters, runs.layers);
    add_sentences(section, runs.filters, runs.layers);
    return section;
}

}  // namespace vfilter::study
