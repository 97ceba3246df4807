#include "io/graph/graph_colours.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/lavfi/facts.h"
#include "io/formats/format_facts.h"
#include "io/formats/formats.h"

namespace vfilter {

namespace {

AVPixelFormat format_of(const AVFilterLink& link) {
    return static_cast<AVPixelFormat>(link.format);
}

std::string_view name_of_filter(const AVFilterContext& filter) {
    return filter.filter->name;
}

// From the graph's input to its sink; empty where that is not where the pictures come from.
std::vector<const AVFilterLink*> way_to(const AVFilterContext& sink) {
    std::vector<const AVFilterLink*> way;
    const AVFilterContext* filter = &sink;
    while (filter->nb_inputs > 0) {
        way.push_back(filter->inputs[0]);
        filter = filter->inputs[0]->src;
    }
    if (name_of_filter(*filter) != "buffer") {
        way.clear();
    }
    std::ranges::reverse(way);
    return way;
}

// What scale is told by that option; unspecified if nothing. Its values are words, in later versions numbers.
AVColorSpace matrix_option(const AVFilterContext& scale, const char* name) {
    constexpr std::array<std::pair<std::string_view, AVColorSpace>, 7> words{{{"bt709", AVCOL_SPC_BT709},
                                                                              {"fcc", AVCOL_SPC_FCC},
                                                                              {"bt601", AVCOL_SPC_SMPTE170M},
                                                                              {"bt470", AVCOL_SPC_SMPTE170M},
                                                                              {"smpte170m", AVCOL_SPC_SMPTE170M},
                                                                              {"smpte240m", AVCOL_SPC_SMPTE240M},
                                                                              {"bt2020", AVCOL_SPC_BT2020_NCL}}};
    std::uint8_t* value = nullptr;
    if (av_opt_get(scale.priv, name, 0, &value) < 0 || value == nullptr) {
        return AVCOL_SPC_UNSPECIFIED;
    }
    const std::string text(reinterpret_cast<const char*>(value));
    av_free(value);
    const auto* const found =
        std::ranges::find_if(words, [&](const auto& word) { return text.find(word.first) != std::string::npos; });
    if (found != words.end()) {
        return found->second;
    }
    const int number = std::atoi(text.c_str());
    return number > 0 ? static_cast<AVColorSpace>(number) : AVCOL_SPC_UNSPECIFIED;
}

void go_through_scale(const AVFilterContext& scale, bool from_rgb, bool to_rgb, GraphMatrix& matrix) {
    const AVColorSpace in = matrix_option(scale, "in_color_matrix");
    const AVColorSpace out = matrix_option(scale, "out_color_matrix");
    if (to_rgb && !from_rgb) {
        const bool says = matrix.named || in != AVCOL_SPC_UNSPECIFIED;
        matrix.guesses = matrix.made == AVCOL_SPC_UNSPECIFIED ? !says : matrix.guesses;
        matrix.made = AVCOL_SPC_UNSPECIFIED;
    } else if (from_rgb && !to_rgb) {
        // One that is said of what comes holds for what goes, too.
        matrix.made = out != AVCOL_SPC_UNSPECIFIED ? out : in != AVCOL_SPC_UNSPECIFIED ? in : AVCOL_SPC_SMPTE170M;
    } else if (!from_rgb && out != AVCOL_SPC_UNSPECIFIED) {
        matrix.made = out;
    }
}

// Whether a filter says the matrix of its pictures, or makes others of them.
bool is_of_matrices(const AVFilterContext& filter) {
    const std::string_view name = name_of_filter(filter);
    std::int64_t space = -1;
    return lavfi::has(name, lavfi::sets_matrix) ||
           (name == "setparams" && av_opt_get_int(filter.priv, "colorspace", 0, &space) >= 0 && space >= 0);
}

AVColorRange range_option(const AVFilterContext& filter, const char* name) {
    std::int64_t value = AVCOL_RANGE_UNSPECIFIED;
    return av_opt_get_int(filter.priv, name, 0, &value) >= 0 && value > 0 ? static_cast<AVColorRange>(value)
                                                                          : AVCOL_RANGE_UNSPECIFIED;
}

// With alpha swscale goes another way, which is right.
bool is_gray_alone(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return is_gray(format) && d->nb_components == 1 && d->comp[0].depth >= 8 && !has_floats(format);
}

// The range of what scale gives, of pictures of `range`; its option is set where it would say another.
AVColorRange range_behind_scale(AVFilterContext& scale, const AVFilterLink& from, const AVFilterLink& to,
                                AVColorRange range) {
    const AVColorRange in = range_option(scale, "in_range");
    const AVColorRange out = range_option(scale, "out_range");
    const bool untold = in == AVCOL_RANGE_UNSPECIFIED && out == AVCOL_RANGE_UNSPECIFIED;
    const bool same_size = from.w == to.w && from.h == to.h;
    if (same_size && from.format == to.format && untold) {
        return range;
    }
    if (same_size && is_gray_alone(format_of(from)) && is_gray_alone(format_of(to))) {
        const bool limited = (in != AVCOL_RANGE_UNSPECIFIED ? in : range) == AVCOL_RANGE_MPEG;
        const AVColorRange kept = limited ? AVCOL_RANGE_MPEG : AVCOL_RANGE_JPEG;
        if (limited || out == AVCOL_RANGE_MPEG) {
            av_opt_set_int(scale.priv, "out_range", kept, 0);
        }
        return kept;
    }
    return out != AVCOL_RANGE_UNSPECIFIED ? out : is_yuv(format_of(to)) ? AVCOL_RANGE_MPEG : AVCOL_RANGE_JPEG;
}

}  // namespace

void keep_gray_ranges(const AVFilterContext& sink, AVColorRange range) {
    const std::vector<const AVFilterLink*> way = way_to(sink);
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
        AVFilterContext& filter = *way[i]->dst;
        std::int64_t named = -1;
        if (name_of_filter(filter) == "scale") {
            range = range_behind_scale(filter, *way[i], *way[i + 1], range);
        } else if ((name_of_filter(filter) == "setparams" || name_of_filter(filter) == "setrange") &&
                   av_opt_get_int(filter.priv, "range", 0, &named) >= 0 && named >= 0) {
            range = static_cast<AVColorRange>(named);
        }
    }
}

GraphMatrix matrix_before(const AVFilterContext& sink) {
    const std::vector<const AVFilterLink*> way = way_to(sink);
    GraphMatrix matrix{.named = way.empty()};
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
        const AVFilterContext& filter = *way[i]->dst;
        const bool from_rgb = is_rgb(format_of(*way[i]));
        const bool to_rgb = is_rgb(format_of(*way[i + 1]));
        if (name_of_filter(filter) == "scale") {
            go_through_scale(filter, from_rgb, to_rgb, matrix);
        } else if (from_rgb != to_rgb || is_of_matrices(filter)) {
            matrix = {.named = true};
        }
    }
    return matrix;
}

bool converts_with_loss(const AVFilterContext& sink) {
    const std::vector<const AVFilterLink*> way = way_to(sink);
    return std::ranges::any_of(way, [&](const AVFilterLink* link) {
        return link->dst != &sink && name_of_filter(*link->dst) == "scale" &&
               loss_between(without_j(format_of(*link)), format_of(*link->dst->outputs[0])).starts_with("with loss");
    });
}

}  // namespace vfilter
